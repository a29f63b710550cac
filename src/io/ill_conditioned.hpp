// Dot products of a given condition number: 2 Σ|a·b| / |Σa·b|.
//
// Algorithm 6.1 (GenDot) of T. Ogita, S. M. Rump, S. Oishi, "Accurate sum and dot product", SIAM J. Sci.
// Comput. 26 (2005). The first half of the pairs has random exponents up to half that of the condition number. Each
// pair of the second half reduces the exact dot so far (an exactdot::accumulator), until it is about 1.
#pragma once

#include <io/data_source.hpp>
#include <limits>
#include <vector>

namespace exactdot::io {

/// The largest condition number; the largest products are about as large, so the exponent range of T limits it.
template <element T>
inline constexpr double max_condition = std::numeric_limits<T>::max_exponent10 > 300 ? 1e300 : 1e60;

/// Fills a and b with request.n pairs. The condition number is within a few orders of magnitude of
/// request.condition if n ≥ 6 + 4·log2(condition)/precision: a pair of the second half reduces the dot by at most
/// the precision of T. Throws errc::bad_option unless 1 ≤ condition ≤ max_condition, and errc::cancelled. Cost:
/// about 0.2 µs per pair.
template <element T>
void ill_conditioned(const data_request& request, std::vector<T>& a, std::vector<T>& b);

extern template void ill_conditioned<float>(const data_request&, std::vector<float>&, std::vector<float>&);
extern template void ill_conditioned<double>(const data_request&, std::vector<double>&, std::vector<double>&);

}  // namespace exactdot::io

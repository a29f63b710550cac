// Dot products of a given condition number: 2 Σ|a·b| / |Σa·b|.
//
// Algorithm 6.1 (GenDot) of T. Ogita, S. M. Rump, S. Oishi, "Accurate sum and dot product", SIAM J. Sci.
// Comput. 26 (2005): the first half of the pairs has random exponents up to half that of the condition
// number; each pair of the second half is chosen so that the exact dot so far comes down, step by step,
// to about 1. The exact dots come from exactdot::accumulator.
#pragma once

#include <io/data_source.hpp>
#include <limits>
#include <vector>

namespace exactdot::io {

/// Condition numbers that the type's range allows: the dot's largest terms are about as large as this.
template <element T>
inline constexpr double largest_condition = std::numeric_limits<T>::max_exponent10 > 300 ? 1e300 : 1e60;

/// Fills a and b with request.n pairs each. The condition number comes out within a few orders of magnitude
/// of request.condition if n suffices: each pair of the second half takes at most T's precision off the dot,
/// so n ≥ 6 + 4·log2(condition)/precision. Throws errc::bad_option unless 1 ≤ condition ≤ largest_condition, and
/// errc::cancelled. Cost: some 0.2 µs a pair.
template <element T>
void ill_conditioned(const data_request& request, std::vector<T>& a, std::vector<T>& b);

extern template void ill_conditioned<float>(const data_request&, std::vector<float>&, std::vector<float>&);
extern template void ill_conditioned<double>(const data_request&, std::vector<double>&, std::vector<double>&);

}  // namespace exactdot::io

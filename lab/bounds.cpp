// Proved bounds; see bounds.hpp. u: unit roundoff; S = sum |a[i]·b[i]|; k: longest chain of roundings.
//
//   working   gamma(k)·S for any order of summation (Higham, 2nd ed., sections 3.1 and 4.2), and n·u·S, which does
//   not
//             require k·u < 1 (C.-P. Jeannerod, S. M. Rump, "Improved error bounds for inner products in
//             floating-point arithmetic", SIAM J. Matrix Anal. Appl. 34, 2013)
//   kahan     2u·S + O(n u²)·S for one chain (Higham (4.8)); u·S for the last addition, sum + correction; 3u·S per
//             level, because merging two pairs adds their terms again; 8n u²·S for the 2n terms (products and their
//             errors) at 3u² each
//   fixed_point  step/2 for each term, which is rounded to a multiple of the step; u·|exact| for the conversion
//   neumaier  u·|exact| + gamma(2k)²·S (Ogita, Rump, Oishi 2005, proposition 5.5, with k instead of n)
//
// Each term that underflows adds less than one smallest subnormal.
#include <algorithm>
#include <lab/bounds.hpp>
#include <limits>

namespace exactdot::lab {
namespace {

template <class T>
constexpr long double unit = std::numeric_limits<T>::epsilon() / 2;
template <class T>
constexpr long double tiny = std::numeric_limits<T>::denorm_min();

constexpr long double none = std::numeric_limits<long double>::infinity();

long double chained(const bound_input& in, long double u) {
  return std::min(gamma(in.roundings, u), (static_cast<long double>(in.n) + 1) * u) * in.magnitude;
}

template <class T>
long double rounded_to(long double error, const bound_input& in) {
  return error + unit<T> * (in.exact + error) + tiny<T>;
}

template <class T>
long double compensated(error_rule rule, const bound_input& in) {
  constexpr long double u = unit<T>;
  const auto n = static_cast<long double>(in.n);
  if (rule == error_rule::kahan) {
    return 8 * n * u < 1 ? ((3 + 3 * in.roundings) * u + 8 * n * u * u) * in.magnitude : none;
  }
  const long double g = gamma(2 * in.roundings, u);
  return rounded_to<T>(g * g * in.magnitude, in);
}

template <class T>
long double bound_for_type(error_rule rule, const bound_input& in) {
  const long double underflow = 4 * (static_cast<long double>(in.n) + 1);
  switch (rule) {
    case error_rule::none:
      return none;
    case error_rule::working:
      return chained(in, unit<T>) + underflow * tiny<T>;
    case error_rule::in_float:  // on doubles each step rounds twice, to double and then to float
      if (in.data_is_float) return chained(in, unit<float>) + underflow * tiny<float>;
      return gamma(2 * in.roundings, unit<float>) * in.magnitude + underflow * tiny<float>;
    case error_rule::in_double:
      return rounded_to<T>(chained(in, unit<double>) + underflow * tiny<double>, in);
    case error_rule::kahan:
    case error_rule::neumaier:
      return compensated<T>(rule, in) + underflow * tiny<T>;
    case error_rule::fixed_point:
      return rounded_to<T>(static_cast<long double>(in.n) * in.step / 2, in);
    case error_rule::correctly_rounded:
      return rounded_to<T>(0, in);
  }
  return none;
}

}  // namespace

long double gamma(long double k, long double u) { return k * u < 1 ? k * u / (1 - k * u) : none; }

long double absolute_bound(error_rule rule, const bound_input& in) {
  constexpr long double margin = 1 + 1e-15L;  // for the roundings of this computation
  return margin * (in.data_is_float ? bound_for_type<float>(rule, in) : bound_for_type<double>(rule, in));
}

}  // namespace exactdot::lab

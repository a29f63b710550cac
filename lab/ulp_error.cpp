// Errors in ulps; see ulp_error.hpp.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <lab/ulp_error.hpp>
#include <limits>
#include <span>

namespace exactdot::lab {
namespace {

using wide_sum = accumulator<double>;

/// Converts a finite sum to double's accumulator; a limb times its weight is a product of two doubles.
template <element T>
wide_sum widen(const accumulator<T>& sum) {
  using narrow = accumulator<T>;
  wide_sum wide;
  const std::span<const std::int64_t> limbs = sum.words().first(narrow::limb_count);
  for (std::size_t i = 0; i < limbs.size(); ++i) {
    wide.add(static_cast<double>(limbs[i]), std::ldexp(1.0, 32 * static_cast<int>(i) + narrow::lowest_exponent));
  }
  return wide;
}

wide_sum widen(const wide_sum& sum) { return sum; }

/// Returns |sum|. The words are canonical: limbs in [0, 2^32), only the last is signed.
long double magnitude(const wide_sum& sum) {
  constexpr std::int64_t radix = std::int64_t{1} << 32;
  const std::span<const std::int64_t> limbs = sum.words().first(wide_sum::limb_count);
  const bool negative = limbs.back() < 0;
  long double total = 0;
  std::int64_t borrow = 0;
  for (std::size_t i = 0; i < limbs.size(); ++i) {
    std::int64_t limb = negative ? -limbs[i] - borrow : limbs[i];
    borrow = negative && limb < 0 ? 1 : 0;
    if (borrow != 0 && i + 1 < limbs.size()) limb += radix;
    total += std::ldexp(static_cast<long double>(limb), 32 * static_cast<int>(i) + wide_sum::lowest_exponent);
  }
  return total;
}

/// Returns the exponent of ulp(x) for a value x of type T.
template <element T>
int ulp_exponent(double x) {
  using limits = std::numeric_limits<T>;
  constexpr int lowest = limits::min_exponent - limits::digits;
  return x == 0 ? lowest : std::max(std::ilogb(x) - (limits::digits - 1), lowest);
}

}  // namespace

template <element T>
long double ulp_error(const accumulator<T>& sum, double value, element_type type) {
  const double rounded =
      with_carrier(type, [&]<class R>(R) { return static_cast<double>(sum.template round<R>()); });
  if (!std::isfinite(rounded) || !std::isfinite(value)) {
    if (rounded == value || (std::isnan(rounded) && std::isnan(value))) return 0;
    if (std::isnan(rounded) || std::isnan(value)) return std::numeric_limits<long double>::quiet_NaN();
    return std::numeric_limits<long double>::infinity();
  }
  wide_sum difference = widen(sum);
  difference.add(-value);
  const int unit = with_carrier(type, [&](auto zero) { return ulp_exponent<decltype(zero)>(rounded); });
  return std::ldexp(magnitude(difference), -unit);
}

template long double ulp_error(const accumulator<float>&, double, element_type);
template long double ulp_error(const accumulator<double>&, double, element_type);

}  // namespace exactdot::lab

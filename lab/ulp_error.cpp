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

/// Returns the exponent of ulp(x) for a value x of this type.
int ulp_exponent(element_type type, double x) {
  const element_info& info = info_of(type);
  const int lowest = 3 - (1 << (info.exponent_bits - 1)) - info.precision;
  return x == 0 ? lowest : std::max(std::ilogb(x) - (info.precision - 1), lowest);
}

/// Returns the correctly rounded result.
template <element T>
double rounded(reduction what, const accumulator<T>& sum, std::size_t n, element_type type) {
  return with_element(type, [&]<class R>(R) -> double {
    if constexpr (floating_element<R>) {
      if (what == reduction::nrm2) return static_cast<double>(sum.template round_root<R>());
      if (what == reduction::mean) return static_cast<double>(sum.template round_quotient<R>(n));
      return static_cast<double>(sum.template round<R>());
    } else {
      return std::numeric_limits<double>::quiet_NaN();
    }
  });
}

/// Returns |value - result| for finite numbers. The difference of a root v is (S - v²) / (√S + v), that of a mean
/// (S - n v) / n, each with an exact numerator.
template <element T>
long double absolute_error(reduction what, const accumulator<T>& sum, std::size_t n, double value) {
  wide_sum difference = widen(sum);
  if (what == reduction::nrm2) {
    const long double divisor = std::sqrt(magnitude(difference)) + std::abs(static_cast<long double>(value));
    difference.add(-value, value);
    return divisor == 0 ? 0 : magnitude(difference) / divisor;
  }
  if (what == reduction::mean) {
    difference.add(-value, static_cast<double>(n));
    return magnitude(difference) / static_cast<long double>(n);
  }
  difference.add(-value);
  return magnitude(difference);
}

}  // namespace

template <element T>
long double ulp_error(reduction what, const accumulator<T>& sum, std::size_t n, double value, element_type type) {
  const double result = rounded(what, sum, n, type);
  if (!std::isfinite(result) || !std::isfinite(value)) {
    if (result == value || (std::isnan(result) && std::isnan(value))) return 0;
    if (std::isnan(result) || std::isnan(value)) return std::numeric_limits<long double>::quiet_NaN();
    return std::numeric_limits<long double>::infinity();
  }
  return std::ldexp(absolute_error(what, sum, n, value), -ulp_exponent(type, result));
}

template <element T>
long double ulp_error(const accumulator<T>& sum, double value, element_type type) {
  return ulp_error(reduction::sum, sum, 1, value, type);
}

template long double ulp_error(const accumulator<float>&, double, element_type);
template long double ulp_error(const accumulator<double>&, double, element_type);
template long double ulp_error(reduction, const accumulator<float>&, std::size_t, double, element_type);
template long double ulp_error(reduction, const accumulator<double>&, std::size_t, double, element_type);

}  // namespace exactdot::lab

// See normalised.hpp.
#include "oracle/normalised.hpp"

#include <algorithm>
#include <cmath>

#include "oracle/mpfr_format.hpp"

namespace oracle {

normalised_row::normalised_row(std::span<const double> x, bool is_centred, double epsilon, result_format format)
    : format_(format), n_(static_cast<double>(x.size())), is_centred_(is_centred) {
  const mpfr_prec_t precision = format.precision == 53 ? 9216 : 4608;
  for (const auto each : {sum_, denominator_, value_, other_}) mpfr_init2(each, precision), mpfr_set_zero(each, 1);
  for (const double each : x) {
    has_nan_ = has_nan_ || std::isnan(each), has_infinity_ = has_infinity_ || std::isinf(each);
    if (!std::isfinite(each)) continue;
    require_exact(mpfr_set_d(value_, each, MPFR_RNDN));
    if (is_centred) require_exact(mpfr_add(sum_, sum_, value_, MPFR_RNDN));
    require_exact(mpfr_sqr(value_, value_, MPFR_RNDN));
    require_exact(mpfr_add(denominator_, denominator_, value_, MPFR_RNDN));
  }
  require_exact(mpfr_mul_d(denominator_, denominator_, n_, MPFR_RNDN));
  require_exact(mpfr_sqr(value_, sum_, MPFR_RNDN));
  require_exact(mpfr_sub(denominator_, denominator_, value_, MPFR_RNDN));
  require_exact(mpfr_set_d(value_, epsilon, MPFR_RNDN));
  for (int i = 0; i < 2; ++i) require_exact(mpfr_mul_d(value_, value_, n_, MPFR_RNDN));
  require_exact(mpfr_add(denominator_, denominator_, value_, MPFR_RNDN));
}

normalised_row::~normalised_row() {
  mpfr_clears(sum_, denominator_, value_, other_, static_cast<mpfr_ptr>(nullptr));
}

std::uint64_t normalised_row::element(double x, double w, double b) const {
  if (has_nan_ || has_infinity_ || !std::isfinite(w) || !std::isfinite(b) || mpfr_zero_p(denominator_) != 0) {
    return special(x, w, b);
  }
  require_exact(mpfr_set_d(value_, x, MPFR_RNDN));
  require_exact(mpfr_mul_d(value_, value_, n_, MPFR_RNDN));
  require_exact(mpfr_sub(value_, value_, sum_, MPFR_RNDN));
  require_exact(mpfr_mul_d(value_, value_, w, MPFR_RNDN));
  mpfr_sqrt(other_, denominator_, MPFR_RNDN);
  mpfr_div(value_, value_, other_, MPFR_RNDN);
  mpfr_add_d(value_, value_, b, MPFR_RNDN);
  return rounded(value_);
}

std::uint64_t normalised_row::infinity(bool negative) const {
  const std::uint64_t field = (std::uint64_t{1} << format_.exponent_bits) - 1;
  return (field | (negative ? field + 1 : 0)) << (format_.precision - 1);
}

/// What docs/contract.md says: in the order of the operations, with 0/√0 and x/∞ for finite x, a NaN and 0.
std::uint64_t normalised_row::special(double x, double w, double b) const {
  const std::uint64_t nan = infinity(false) | std::uint64_t{1} << (format_.precision - 2);
  const bool is_infinite = has_infinity_;
  if (has_nan_ || std::isnan(w) || std::isnan(b) || (is_infinite && (is_centred_ || std::isinf(x)))) return nan;
  if (!is_infinite && mpfr_zero_p(denominator_) != 0) return nan;
  double factor = 0;  // the sign of the finite x − m, or 0
  if (!is_infinite) {
    mpfr_set_d(value_, x, MPFR_RNDN);
    mpfr_mul_d(value_, value_, n_, MPFR_RNDN);
    factor = static_cast<double>(mpfr_cmp(value_, sum_));
  }
  const double product = factor * w;  // an infinity, a NaN, or finite and without meaning
  if (!std::isinf(w)) {
    if (std::isinf(b)) return infinity(b < 0);
    mpfr_set_d(value_, b, MPFR_RNDN);  // of a row with infinities
    return rounded(value_);
  }
  const double sum = product + b;
  return std::isnan(sum) ? nan : infinity(sum < 0);
}

std::uint64_t normalised_row::rounded(mpfr_ptr x) const {
  if (mpfr_zero_p(x) != 0) return 0;
  const int precision = format_.precision, top = 1 << (format_.exponent_bits - 1), lowest = 3 - top - precision;
  const double value = rounded_to_format(x, precision, lowest, top);
  const std::uint64_t sign = std::signbit(value) ? std::uint64_t{1} << (precision - 1 + format_.exponent_bits) : 0;
  if (std::isinf(value)) return infinity(value < 0);
  if (value == 0) return sign;
  const std::uint64_t hidden = std::uint64_t{1} << (precision - 1);
  const int exponent = std::max(std::ilogb(value) - precision + 1, lowest);
  const auto significand = static_cast<std::uint64_t>(std::ldexp(std::fabs(value), -exponent));
  if (significand < hidden) return sign | significand;
  return sign | ((static_cast<std::uint64_t>(exponent - lowest) + 1) << (precision - 1)) |
         (significand & (hidden - 1));
}

}  // namespace oracle

// See wide_sum.hpp.
#include "oracle/wide_sum.hpp"

#include <cmath>
#include <limits>
#include <type_traits>

#include "oracle/mpfr_format.hpp"

namespace oracle {

wide_sum::wide_sum() {
  mpfr_init2(sum_, precision);
  mpfr_init2(factor_, std::numeric_limits<double>::digits);
  mpfr_init2(product_, product_precision);
  mpfr_set_zero(sum_, 1);
}

wide_sum::~wide_sum() { mpfr_clears(sum_, factor_, product_, static_cast<mpfr_ptr>(nullptr)); }

template <class T>
void wide_sum::add(T a, T b) {
  mpfr_set_d(product_, static_cast<double>(a), MPFR_RNDN);
  mpfr_set_d(factor_, static_cast<double>(b), MPFR_RNDN);
  require_exact(mpfr_mul(product_, product_, factor_, MPFR_RNDN));
  if (mpfr_nan_p(product_) != 0) {
    ++nans_;
  } else if (mpfr_inf_p(product_) != 0) {
    ++(mpfr_signbit(product_) != 0 ? negative_infinities_ : positive_infinities_);
  } else {
    require_exact(mpfr_add(sum_, sum_, product_, MPFR_RNDN));
  }
}

template <class T>
void wide_sum::add(T x) {
  add(x, T{1});
}

void wide_sum::merge(const wide_sum& other) {
  require_exact(mpfr_add(sum_, sum_, other.sum_, MPFR_RNDN));
  nans_ += other.nans_;
  positive_infinities_ += other.positive_infinities_;
  negative_infinities_ += other.negative_infinities_;
}

template <class R>
R wide_sum::round() const {
  using limits = std::numeric_limits<R>;
  if (nans_ != 0 || (positive_infinities_ != 0 && negative_infinities_ != 0)) return limits::quiet_NaN();
  if (positive_infinities_ != 0) return limits::infinity();
  if (negative_infinities_ != 0) return -limits::infinity();
  if (mpfr_zero_p(sum_) != 0) return R{0};

  const double value =
      rounded_to_format(sum_, limits::digits, limits::min_exponent - limits::digits, limits::max_exponent);
  return static_cast<R>(value);
}

template void wide_sum::add(float, float);
template void wide_sum::add(double, double);
template void wide_sum::add(float);
template void wide_sum::add(double);
template float wide_sum::round() const;
template double wide_sum::round() const;

}  // namespace oracle

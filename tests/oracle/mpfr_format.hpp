// What the oracles in MPFR share: the check that nothing rounds, and the rounding to a format.
//
// The latter emulates an IEEE format as the MPFR manual describes: round to its precision in the wide exponent
// range, then call mpfr_check_range and mpfr_subnormalize with the ternary value of the previous step. The ternary
// value prevents a double rounding.
#pragma once

#include <mpfr.h>

#include <stdexcept>

namespace oracle {

inline void require_exact(int ternary) {
  if (ternary != 0) throw std::logic_error("an operation of the MPFR oracle rounded: its precision is too low");
}

/// x rounded once to a format: finite numbers are below 2^highest_exponent, the least one is 2^lowest_exponent.
[[nodiscard]] inline double rounded_to_format(mpfr_srcptr x, int precision, int lowest_exponent,
                                              int highest_exponent) {
  mpfr_t result;
  mpfr_init2(result, precision);
  int ternary = mpfr_set(result, x, MPFR_RNDN);
  const mpfr_exp_t emin = mpfr_get_emin();
  const mpfr_exp_t emax = mpfr_get_emax();
  mpfr_set_emin(lowest_exponent + 1);
  mpfr_set_emax(highest_exponent);
  ternary = mpfr_check_range(result, ternary, MPFR_RNDN);
  mpfr_subnormalize(result, ternary, MPFR_RNDN);
  mpfr_set_emin(emin);
  mpfr_set_emax(emax);
  const double value = mpfr_get_d(result, MPFR_RNDN);
  mpfr_clear(result);
  return value;
}

}  // namespace oracle

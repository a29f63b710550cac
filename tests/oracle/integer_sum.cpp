// See integer_sum.hpp.
//
// Special values are told by bit pattern, and one flag each suffices: how many there were cannot matter. Cost:
// about 0.1 µs a term, an addition of some seventy 64-bit limbs.
#include "oracle/integer_sum.hpp"

#include <algorithm>

namespace oracle {

void integer_sum::add_finite(const parts& a, const parts& b) {
  mpz_set_ui(term_.get_mpz_t(), a.mantissa);
  mpz_mul_ui(term_.get_mpz_t(), term_.get_mpz_t(), b.mantissa);
  mpz_mul_2exp(term_.get_mpz_t(), term_.get_mpz_t(),
               static_cast<mp_bitcnt_t>(a.exponent + b.exponent - unit_exponent));
  if (a.negative != b.negative) {
    units_ -= term_;
  } else {
    units_ += term_;
  }
}

template <class T>
void integer_sum::add(T a, T b) {
  constexpr auto magnitude = static_cast<typename format<T>::word>(~format<T>::sign);
  const bool infinite = is_infinite(a) || is_infinite(b);
  const bool zero = (to_bits(a) & magnitude) == 0 || (to_bits(b) & magnitude) == 0;
  if (is_nan(a) || is_nan(b) || (infinite && zero)) {
    nan_ = true;
  } else if (infinite) {
    (is_negative(a) != is_negative(b) ? negative_infinity_ : positive_infinity_) = true;
  } else {
    add_finite(split(a), split(b));
  }
}

template <class T>
void integer_sum::add(T x) {
  add(x, T{1});
}

void integer_sum::merge(const integer_sum& other) {
  units_ += other.units_;
  nan_ |= other.nan_;
  positive_infinity_ |= other.positive_infinity_;
  negative_infinity_ |= other.negative_infinity_;
}

mpz_class units_of_limbs(std::span<const std::int64_t> limbs, int lowest_exponent) {
  mpz_class value = 0;
  for (std::size_t i = limbs.size(); i-- > 0;) value = (value << 32) + mpz_class(static_cast<long>(limbs[i]));
  return value << (lowest_exponent - integer_sum::unit_exponent);
}

template <class R>
R round_units(const mpz_class& units) {
  using word = typename format<R>::word;
  if (units == 0) return R{0};
  const mpz_class magnitude = abs(units);
  const int bit_length = static_cast<int>(mpz_sizeinbase(magnitude.get_mpz_t(), 2));
  const int last = std::max(bit_length + integer_sum::unit_exponent - format<R>::precision, format<R>::lowest);
  const int shift = last - integer_sum::unit_exponent;  // above 0: format<R>::lowest is above unit_exponent
  mpz_class kept = magnitude >> shift;
  const mpz_class rest = magnitude - (kept << shift);
  const int against_half = cmp(rest, mpz_class(mpz_class(1) << (shift - 1)));
  if (against_half > 0 || (against_half == 0 && mpz_odd_p(kept.get_mpz_t()) != 0)) ++kept;

  // A mantissa with its hidden bit adds 1 to the exponent field, one that rounded up to 2^precision adds 2.
  mpz_class pattern = kept + (mpz_class(last - format<R>::lowest) << (format<R>::precision - 1));
  const mpz_class infinity(static_cast<unsigned long>(format<R>::infinity));
  if (pattern > infinity) pattern = infinity;
  return from_bits<R>(static_cast<word>(pattern.get_ui()) | (sgn(units) < 0 ? format<R>::sign : word{0}));
}

template <class R>
R integer_sum::round() const {
  using word = typename format<R>::word;
  if (nan_ || (positive_infinity_ && negative_infinity_)) return from_bits<R>(format<R>::quiet_nan);
  if (positive_infinity_) return from_bits<R>(format<R>::infinity);
  if (negative_infinity_) return from_bits<R>(static_cast<word>(format<R>::infinity | format<R>::sign));
  return round_units<R>(units_);
}

template void integer_sum::add(float, float);
template void integer_sum::add(double, double);
template void integer_sum::add(float);
template void integer_sum::add(double);
template float integer_sum::round() const;
template double integer_sum::round() const;
template float round_units(const mpz_class&);
template double round_units(const mpz_class&);

}  // namespace oracle

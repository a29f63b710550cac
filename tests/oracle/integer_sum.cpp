// See integer_sum.hpp.
//
// Cost: about 0.1 µs per term, an addition of about seventy 64-bit limbs.
#include "oracle/integer_sum.hpp"

#include <algorithm>

namespace oracle {

void integer_sum::add_finite(const decomposed& a, const decomposed& b) {
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

void integer_sum::add(const number& a, const number& b) {
  const bool infinite = a.kind == kind::infinite || b.kind == kind::infinite;
  const auto is_zero = [](const number& x) { return x.kind == kind::finite && x.value.mantissa == 0; };
  if (a.kind == kind::nan || b.kind == kind::nan || (infinite && (is_zero(a) || is_zero(b)))) {
    ++specials_.nans;
  } else if (infinite) {
    ++(a.value.negative != b.value.negative ? specials_.negative_infinities : specials_.positive_infinities);
  } else {
    add_finite(a.value, b.value);
  }
}

void integer_sum::merge(const integer_sum& other) {
  units_ += other.units_;
  const auto add = [](std::int64_t& count, std::int64_t more) {  // merges that double a count must not wrap it
    count = std::min(count + more, std::int64_t{1} << 60);
  };
  add(specials_.nans, other.specials_.nans);
  add(specials_.positive_infinities, other.specials_.positive_infinities);
  add(specials_.negative_infinities, other.specials_.negative_infinities);
}

mpz_class units_of_limbs(std::span<const std::int64_t> limbs, int lowest_exponent) {
  mpz_class value = 0;
  for (std::size_t i = limbs.size(); i-- > 0;) value = (value << 32) + mpz_class(static_cast<long>(limbs[i]));
  return value << (lowest_exponent - integer_sum::unit_exponent);
}

std::uint64_t round_number(const mpz_class& value, int exponent, int precision, int exponent_bits) {
  if (value == 0) return 0;
  const mpz_class magnitude = abs(value);
  const int lowest_exponent = 3 - (1 << (exponent_bits - 1)) - precision;  // of the least subnormal number
  const int bit_length = static_cast<int>(mpz_sizeinbase(magnitude.get_mpz_t(), 2));
  const int last_exponent = std::max(bit_length + exponent - precision, lowest_exponent);
  const int shift = last_exponent - exponent;
  mpz_class mantissa = magnitude;
  if (shift > 0) {
    mantissa >>= shift;
    const mpz_class remainder = magnitude - (mantissa << shift);
    const int versus_half = cmp(remainder, mpz_class(mpz_class(1) << (shift - 1)));
    if (versus_half > 0 || (versus_half == 0 && mpz_odd_p(mantissa.get_mpz_t()) != 0)) ++mantissa;
  } else {
    mantissa <<= -shift;
  }
  // A mantissa with its hidden bit adds 1 to the exponent field; one that was rounded up to 2^precision adds 2.
  mpz_class pattern = mantissa + (mpz_class(last_exponent - lowest_exponent) << (precision - 1));
  const mpz_class infinity(static_cast<unsigned long>(infinity_pattern(precision, exponent_bits)));
  if (pattern > infinity) pattern = infinity;
  const std::uint64_t sign = std::uint64_t{sgn(value) < 0} << (precision - 1 + exponent_bits);
  return pattern.get_ui() | sign;
}

template <class R>
R round_units(const mpz_class& units) {
  return from_bits<R>(static_cast<typename format<R>::bits>(round_number(
      units, integer_sum::unit_exponent, format<R>::precision, 8 * sizeof(R) - format<R>::precision)));
}

template <class R>
R integer_sum::round() const {
  using bits = typename format<R>::bits;
  const bool positive = specials_.positive_infinities != 0, negative = specials_.negative_infinities != 0;
  if (specials_.nans != 0 || (positive && negative)) return from_bits<R>(format<R>::quiet_nan);
  if (positive) return from_bits<R>(format<R>::infinity);
  if (negative) return from_bits<R>(static_cast<bits>(format<R>::infinity | format<R>::sign));
  return round_units<R>(units_);
}

template float integer_sum::round() const;
template double integer_sum::round() const;
template float round_units(const mpz_class&);
template double round_units(const mpz_class&);

}  // namespace oracle

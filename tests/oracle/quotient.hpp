// The correctly rounded quotient of two integers: GMP divides, and what is left over is one more bit.
#pragma once

#include <gmpxx.h>

#include <cstdint>

#include "oracle/integer_sum.hpp"

namespace oracle {

/// dividend/divisor · 2^exponent, rounded once to a binary format: its encoding. Requires a divisor that is not 0; a
/// dividend of 0 gives a zero with the sign of the divisor.
[[nodiscard]] inline std::uint64_t round_ratio(const mpz_class& dividend, const mpz_class& divisor, int exponent,
                                               int precision, int exponent_bits) {
  const bool negative = (sgn(dividend) < 0) != (sgn(divisor) < 0);
  const std::uint64_t sign = std::uint64_t{negative} << (precision - 1 + exponent_bits);
  if (sgn(dividend) == 0) return sign;
  // so many bits that the quotient has more than any format
  const auto bits = [](const mpz_class& x) { return static_cast<int>(mpz_sizeinbase(x.get_mpz_t(), 2)); };
  const int shift = std::max(0, bits(divisor) - bits(dividend) + 100);
  mpz_class quotient, remainder;
  const mpz_class scaled = abs(dividend) << static_cast<unsigned>(shift), by = abs(divisor);
  mpz_tdiv_qr(quotient.get_mpz_t(), remainder.get_mpz_t(), scaled.get_mpz_t(), by.get_mpz_t());
  quotient = 2 * quotient + (remainder != 0 ? 1 : 0);
  if (negative) quotient = -quotient;
  return round_number(quotient, exponent - shift - 1, precision, exponent_bits);
}

}  // namespace oracle

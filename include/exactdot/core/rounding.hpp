// Rounds a fixed-point number once to a number format: to nearest, ties to even, in integers only.
//
// The magnitude's leading bits, one guard bit and a sticky bit decide. A subnormal result keeps fewer bits; a carry
// out of the significand increments the exponent; a magnitude past the largest finite number gives infinity or, in
// the format that has none, the NaN with the sign of the number. The format is a value, so one function serves
// every result type. Results are the low bits of a 64-bit word.
#pragma once

#include <exactdot/core/format.hpp>
#include <exactdot/core/limbs.hpp>

namespace exactdot::inline v0_3::core {

/// A value of type R from its bits in the low end of a word.
template <class R>
EXACTDOT_CORE R from_word(std::uint64_t word) {
  return bit_cast<R>(static_cast<typename format<R>::bits>(word));
}
template <class R>
EXACTDOT_CORE std::uint64_t to_word(R value) {
  return bit_cast<typename format<R>::bits>(value);
}

EXACTDOT_CORE std::uint64_t sign_bit(number_format to, bool negative) {
  return std::uint64_t{negative} << (to.precision - 1 + to.exponent_bits);
}

/// The infinity, or the NaN that stands for it.
EXACTDOT_CORE std::uint64_t infinity_word(number_format to, bool negative) {
  return sign_bit(to, negative) | detail::infinity_bits(to.precision, to.exponent_bits);
}

/// The greatest element that is no NaN: the infinity, or the largest number of a format without one.
EXACTDOT_CORE std::uint64_t greatest_word(number_format to) {
  return infinity_word(to, false) - (detail::has_infinity(to.exponent_bits) ? 0 : 1);
}

/// The canonical NaN: quiet, positive, payload 0.
EXACTDOT_CORE std::uint64_t nan_word(number_format to) {
  return infinity_word(to, false) | std::uint64_t{1} << (to.precision - 2);
}

template <class R>
EXACTDOT_CORE R infinity(bool negative) {
  return from_word<R>(infinity_word(format<R>::number, negative));
}
template <class R>
EXACTDOT_CORE R canonical_nan() {
  return from_word<R>(nan_word(format<R>::number));
}

/// Rounds significand · 2^exponent, plus something below its last bit if `sticky`. A nonzero significand has its
/// top bit set. Correctly rounded over the whole range.
EXACTDOT_CORE std::uint64_t round_significand(number_format to, bool negative, std::uint64_t significand,
                                              int exponent, bool sticky) {
  if (significand == 0) return 0;
  const int lowest = to.lowest_exponent();
  int drop = 64 - to.precision;                    // a normal result keeps `precision` bits,
  const int missing = lowest - (exponent + drop);  // a subnormal one fewer
  if (missing > 0) drop += missing;
  if (drop > 64) return sign_bit(to, negative);  // below half the smallest subnormal
  const std::uint64_t kept = drop == 64 ? 0 : significand >> drop;
  const std::uint64_t guard = (significand >> (drop - 1)) & 1;
  const std::uint64_t below = significand & ((std::uint64_t{1} << (drop - 1)) - 1);
  const std::uint64_t up = guard & static_cast<std::uint64_t>(below != 0 || sticky || (kept & 1) != 0);
  // Adding the significand with its hidden bit to the exponent field less one lets a carry increment the field.
  const int field = exponent + drop - lowest;
  const std::uint64_t infinite = infinity_word(to, false);
  if (field + 2 > (1 << to.exponent_bits)) return sign_bit(to, negative) | infinite;
  const std::uint64_t sum = (static_cast<std::uint64_t>(field) << (to.precision - 1)) + kept + up;
  return sign_bit(to, negative) | (sum >= infinite ? infinite : sum);
}

/// The value of a normalised number, rounded once. A negative number is negated in place. +0 for zero.
/// Cost: one pass over the limbs.
EXACTDOT_CORE std::uint64_t round_limbs(number_format to, fixed_point number) {
  const bool negative = is_negative(number);
  if (negative) negate(number);
  int top = number.count - 1;
  while (top > 0 && number.limb[top] == 0) --top;
  if (number.limb[top] == 0) return 0;
  // The leading limb (up to 63 bits, if it is the last one) and the three below it hold at least 64 bits.
  const auto limb_or_zero = [&](int i) { return i < 0 ? 0 : static_cast<std::uint64_t>(number.limb[i]); };
  const int shift = leading_zeros(limb_or_zero(top));
  const uint128 next = (static_cast<uint128>(limb_or_zero(top - 1)) << 32) | limb_or_zero(top - 2);
  const uint128 leading = (static_cast<uint128>(limb_or_zero(top)) << 64) | next;
  const std::uint64_t significand = static_cast<std::uint64_t>((leading << shift) >> 64);
  bool sticky = static_cast<std::uint64_t>(leading << shift) != 0;
  for (int i = top - 3; i >= 0 && !sticky; --i) sticky = number.limb[i] != 0;
  const int exponent = number.lowest_exponent + 32 * top - shift;
  return round_significand(to, negative, significand, exponent, sticky);
}

}  // namespace exactdot::inline v0_3::core

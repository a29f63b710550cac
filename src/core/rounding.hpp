// Rounds a fixed-point number once to float or double: to nearest, ties to even, in integers only.
//
// The magnitude's leading bits, one guard bit and a sticky bit decide; a subnormal result keeps fewer
// bits, a carry out of the significand moves the exponent, and what passes the largest finite number is infinite.
#pragma once

#include <core/limbs.hpp>
#include <core/traits.hpp>

namespace exactdot::core {

template <class R>
EXACTDOT_CORE R assemble(bool negative, typename traits<R>::bits field_and_mantissa) {
  using bits = typename traits<R>::bits;
  constexpr int sign_position = traits<R>::precision - 1 + traits<R>::exponent_bits;
  return bit_cast<R>(static_cast<bits>(field_and_mantissa | (bits{negative} << sign_position)));
}

template <class R>
EXACTDOT_CORE R infinity(bool negative) {
  using bits = typename traits<R>::bits;
  return assemble<R>(negative, ((bits{1} << traits<R>::exponent_bits) - 1) << (traits<R>::precision - 1));
}

/// The canonical NaN: quiet, positive, payload 0.
template <class R>
EXACTDOT_CORE R canonical_nan() {
  using bits = typename traits<R>::bits;
  return assemble<R>(false, ((bits{1} << (traits<R>::exponent_bits + 1)) - 1) << (traits<R>::precision - 2));
}

/// Rounds significand · 2^exponent, plus something below its last bit if `sticky`. A nonzero significand has its
/// top bit set. Correctly rounded over the whole range.
template <class R>
EXACTDOT_CORE R round_significand(bool negative, std::uint64_t significand, int exponent, bool sticky) {
  using row = traits<R>;
  using bits = typename row::bits;
  if (significand == 0) return assemble<R>(false, 0);
  int drop = 64 - row::precision;                                // a normal result keeps `precision` bits,
  const int missing = row::lowest_exponent - (exponent + drop);  // a subnormal one fewer
  if (missing > 0) drop += missing;
  if (drop > 64) return assemble<R>(negative, 0);  // below half the smallest subnormal
  const std::uint64_t kept = drop == 64 ? 0 : significand >> drop;
  const std::uint64_t guard = (significand >> (drop - 1)) & 1;
  const std::uint64_t below = significand & ((std::uint64_t{1} << (drop - 1)) - 1);
  const std::uint64_t up = guard & static_cast<std::uint64_t>(below != 0 || sticky || (kept & 1) != 0);
  // Adding the significand with its hidden bit to the field of one less lets a carry move the exponent by itself.
  const int field = exponent + drop - row::lowest_exponent;
  if (field + 2 > (1 << row::exponent_bits)) return infinity<R>(negative);
  const bits sum = (static_cast<bits>(field) << (row::precision - 1)) + static_cast<bits>(kept + up);
  if (sum >= bit_cast<bits>(infinity<R>(false))) return infinity<R>(negative);
  return assemble<R>(negative, sum);
}

/// The value of a normalised number, rounded once to R. A negative number is negated in place. +0 for zero.
/// Cost: one pass over the limbs.
template <class R>
EXACTDOT_CORE R round_limbs(fixed_point number) {
  const bool negative = is_negative(number);
  if (negative) negate(number);
  int top = number.count - 1;
  while (top > 0 && number.limb[top] == 0) --top;
  if (number.limb[top] == 0) return assemble<R>(false, 0);
  // The leading limb (up to 63 bits: the last one may be that long) and the three below it hold 64 bits for sure.
  const auto limb_or_zero = [&](int i) { return i < 0 ? 0 : static_cast<std::uint64_t>(number.limb[i]); };
  const int shift = leading_zeros(limb_or_zero(top));
  const uint128 next = (static_cast<uint128>(limb_or_zero(top - 1)) << 32) | limb_or_zero(top - 2);
  const uint128 leading = (static_cast<uint128>(limb_or_zero(top)) << 64) | next;
  const std::uint64_t significand = static_cast<std::uint64_t>((leading << shift) >> 64);
  bool sticky = static_cast<std::uint64_t>(leading << shift) != 0;
  for (int i = top - 3; i >= 0 && !sticky; --i) sticky = number.limb[i] != 0;
  const int exponent = number.lowest_exponent + 32 * top - shift;
  return round_significand<R>(negative, significand, exponent, sticky);
}

}  // namespace exactdot::core

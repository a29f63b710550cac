// The sum of an exact state as head + tail, give or take a bound: what travels instead of its words (docs/mpi.md).
//
// The five highest digits of radix 2^32, added by Fast2Sum, leave more than 106 bits in head and tail; the bound
// holds what they drop and every lower digit, and is 0 if nothing was dropped. Sums beyond 2^900, or below 2^-800
// but not 0, have an infinite bound: no operation below may over- or underflow. Cost: one scan of the limbs and
// some 40 flops.
#pragma once

#include <cstdint>
#include <exactdot/core/enclosure.hpp>
#include <exactdot/core/state.hpp>
#include <limits>

namespace exactdot::inline v0_3::core {

/// The index of the highest of n limbs that is not `sign`, or -1. Eight limbs at a time: most limbs of a state are unused.
EXACTDOT_CORE int highest_used_limb(const std::int64_t* limbs, int n, std::int64_t sign) {
  int top = n;
  for (; top >= 8; top -= 8) {
    std::int64_t differences = 0;
    for (int k = 1; k <= 8; ++k) differences |= limbs[top - k] ^ sign;
    if (differences != 0) break;
  }
  while (top > 0 && limbs[top - 1] == sign) --top;
  return top - 1;
}

/// Infinite and NaN sums are a head with the bound 0. `words` are normalised.
EXACTDOT_CORE enclosure enclosure_of_state(const state_layout& layout, const std::int64_t* words) {
  constexpr enclosure unknown{0, 0, HUGE_VAL};
  const bool plus = words[layout.positive_infinities()] != 0, minus = words[layout.negative_infinities()] != 0;
  if (words[layout.nans()] != 0 || (plus && minus)) return {std::numeric_limits<double>::quiet_NaN(), 0, 0};
  if (plus || minus) return {plus ? HUGE_VAL : -HUGE_VAL, 0, 0};

  // The limbs above `top` repeat the sign. Of a negative sum the digit `top` is that limb less 2^32.
  constexpr std::int64_t radix = std::int64_t{1} << 32;
  const int last = layout.limbs - 1;
  const bool negative = words[last] < 0;
  if (words[last] > 0 || words[last] < -1) return unknown;
  int top = highest_used_limb(words, last, negative ? radix - 1 : 0);
  if (top < 0 && !negative) return {0, 0, 0};
  if (top < 0) top = 0;

  const int exponent = layout.lowest_exponent + 32 * top;
  if (exponent > 860 || exponent < -660) return unknown;
  double unit = bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
  double head = static_cast<double>(words[top] - (negative ? radix : 0)) * unit, tail = 0, dropped = 0;
  int k = top - 1;
  for (; k >= 0 && k > top - 5; --k) {
    unit *= 0x1p-32;
    const auto sum = fast_two_sum(head, static_cast<double>(words[k]) * unit);  // digits below the first are >= 0
    const auto rest = two_sum(tail, sum.error);
    head = sum.value, tail = rest.value;
    dropped += magnitude_of(rest.error);
  }
  std::int64_t lower = 0;
  for (; k >= 0; --k) lower |= words[k];
  if (lower != 0) dropped += unit;
  const auto sum = two_sum(head, tail);
  return {sum.value, sum.error, dropped * (1 + 0x1p-50)};
}

}  // namespace exactdot::inline v0_3::core

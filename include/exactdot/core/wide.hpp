// The 256 leading bits of a fixed-point number, with what lies below as a sticky bit; their root and quotients.
//
// floor((m + f)/d) = floor(m/d) and floor(√(m + f)) = floor(√m) for integers m, d and 0 <= f < 1. So the leading bits
// of a quotient or a root, and whether anything lies below them, follow from leading bits alone, and one rounding
// of them is the correctly rounded result. Integers only: no floating-point environment matters.
#pragma once

#include <exactdot/core/rounding.hpp>

namespace exactdot::inline v0_3::core {

/// (limb[0] + limb[1]·2^64 + …)·2^exponent, plus something below 2^exponent if `sticky`. Nonnegative.
struct wide {
  static constexpr int limbs = 4;
  std::uint64_t limb[limbs] = {};
  int exponent = 0;
  bool sticky = false;

  [[nodiscard]] EXACTDOT_CORE bool is_zero() const {
    return (limb[0] | limb[1] | limb[2] | limb[3]) == 0 && !sticky;
  }
};

/// Shifts left until the top bit is set. Requires a nonzero limb.
EXACTDOT_CORE void normalise(wide& x) {
  while (x.limb[wide::limbs - 1] == 0) {
    for (int i = wide::limbs - 1; i > 0; --i) x.limb[i] = x.limb[i - 1];
    x.limb[0] = 0;
    x.exponent -= 64;
  }
  const int shift = leading_zeros(x.limb[wide::limbs - 1]);
  if (shift == 0) return;
  for (int i = wide::limbs - 1; i > 0; --i) x.limb[i] = x.limb[i] << shift | x.limb[i - 1] >> (64 - shift);
  x.limb[0] <<= shift;
  x.exponent -= shift;
}

/// The leading bits of a normalised, nonnegative number.
EXACTDOT_CORE wide leading_bits(fixed_point number) {
  wide found;
  int top = number.count - 1;
  while (top >= 0 && number.limb[top] == 0) --top;
  if (top < 0) return found;
  // The top limb has up to 63 bits if it is the last one: it takes a limb of its own, those below it halves.
  found.limb[3] = static_cast<std::uint64_t>(number.limb[top]);
  for (int k = 1; k <= 6; ++k) {
    const std::uint64_t below = top - k < 0 ? 0 : static_cast<std::uint64_t>(number.limb[top - k]);
    found.limb[3 - (k + 1) / 2] |= k % 2 == 1 ? below << 32 : below;
  }
  for (int i = top - 7; i >= 0 && !found.sticky; --i) found.sticky = number.limb[i] != 0;
  found.exponent = number.lowest_exponent + 32 * (top - 6);
  normalise(found);
  return found;
}

/// x = x/divisor. divisor > 0.
EXACTDOT_CORE void divide(wide& x, std::uint64_t divisor) {
  if (x.is_zero()) return;
  uint128 remainder = 0;
  for (int i = wide::limbs - 1; i >= 0; --i) {
    const uint128 dividend = remainder << 64 | x.limb[i];
    x.limb[i] = static_cast<std::uint64_t>(dividend / divisor);
    remainder = dividend % divisor;
  }
  if (remainder != 0) x.sticky = true;
  normalise(x);
}

/// floor(√x) of 64 bits, bit by bit.
EXACTDOT_CORE std::uint64_t integer_root(std::uint64_t x) {
  std::uint64_t root = 0;
  for (std::uint64_t bit = std::uint64_t{1} << 62; bit != 0; bit >>= 2) {
    const std::uint64_t trial = root + bit;
    root >>= 1;
    if (x >= trial) x -= trial, root += bit;
  }
  return root;
}

struct root_and_remainder {
  std::uint64_t root;
  bool exact;
};

/// floor(√x) for x >= 2^126: the root of the upper half, then one step (P. Zimmermann, "Karatsuba Square Root", 1999).
EXACTDOT_CORE root_and_remainder integer_root(uint128 x) {
  const auto upper = static_cast<std::uint64_t>(x >> 64), lower = static_cast<std::uint64_t>(x);
  const std::uint64_t half = integer_root(upper);
  const uint128 rest = static_cast<uint128>(upper - half * half) << 32 | lower >> 32;
  const uint128 quotient = rest / (2 * half);
  uint128 root = (static_cast<uint128>(half) << 32) + quotient;
  // x - root², which may be negative, modulo 2^128
  uint128 remainder = ((rest - quotient * (2 * half)) << 32 | (lower & 0xffffffff)) - quotient * quotient;
  while (static_cast<std::uint64_t>(remainder >> 127) != 0) --root, remainder += 2 * root + 1;
  return {static_cast<std::uint64_t>(root), remainder == 0};
}

/// x = √x: 64 bits of it. x is normalised or zero.
EXACTDOT_CORE void take_root(wide& x) {
  if (x.is_zero()) return;
  uint128 leading = static_cast<uint128>(x.limb[3]) << 64 | x.limb[2];
  bool sticky = x.sticky || x.limb[1] != 0 || x.limb[0] != 0;
  int exponent = x.exponent + 128;
  if (exponent % 2 != 0) {
    sticky = sticky || (x.limb[2] & 1) != 0;
    leading >>= 1, ++exponent;
  }
  const root_and_remainder found = integer_root(leading);
  x = {{0, 0, 0, found.root}, exponent / 2 - 192, sticky || !found.exact};
}

/// Rounded once. x is normalised or zero.
EXACTDOT_CORE std::uint64_t round_wide(number_format to, bool negative, const wide& x) {
  const bool sticky = x.sticky || (x.limb[0] | x.limb[1] | x.limb[2]) != 0;
  return round_significand(to, negative, x.limb[3], x.exponent + 192, sticky);
}

}  // namespace exactdot::inline v0_3::core

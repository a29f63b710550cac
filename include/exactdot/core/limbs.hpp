// Fixed-point numbers of signed 64-bit limbs, radix 2^32, low limb first.
//
// An addition touches at most five limbs and propagates no carry: each limb changes by less than 2^32 a time, so
// 2^30 additions fit between two normalisations. Two numbers are added limb by limb.
// Sources: U. Kulisch, "Computer Arithmetic and Validity", ch. 8 (the long accumulator); R. Neal, "Fast exact
// summation using small and large superaccumulators", §2 (the redundant radix-2^32 form).
#pragma once

#include <exactdot/core/config.hpp>

namespace exactdot::inline v0_3::core {

/// Additions that are safe between two normalisations.
inline constexpr std::uint64_t additions_between_normalisations = std::uint64_t{1} << 30;

/// A view of `count` limbs; bit 0 of limb 0 weighs 2^lowest_exponent.
struct fixed_point {
  std::int64_t* limb;
  int count;
  int lowest_exponent;
};

/// Limbs that a magnitude of `bits` bits can touch, wherever it lies.
EXACTDOT_CORE int touched_limbs(int bits) { return 1 + (bits - 1 + 31) / 32; }

/// number += (-1)^negative · magnitude · 2^exponent, for magnitude < 2^bits. Exact; propagates no carry; takes the
/// same path for all data, because branches on random bits would cost more than the additions. Requires exponent >=
/// lowest_exponent and all touched limbs below `count`.
template <int bits>
EXACTDOT_CORE void add(fixed_point number, uint128 magnitude, int exponent, bool negative) {
  const int offset = exponent - number.lowest_exponent;
  const int shift = offset & 31;
  const std::int64_t sign = negative ? -1 : 0;
  std::int64_t* const limb = number.limb + (offset >> 5);
  const auto add_to_limb = [&](int i, std::uint64_t value) {
    limb[i] += (static_cast<std::int64_t>(value & 0xffffffff) ^ sign) - sign;
  };
  add_to_limb(0, static_cast<std::uint64_t>(magnitude) << shift);
  const uint128 high = magnitude >> (32 - shift);
  for (int i = 1; i < touched_limbs(bits); ++i) {
    add_to_limb(i, static_cast<std::uint64_t>(high >> (32 * (i - 1))));
  }
}

/// number += value · 2^exponent.
EXACTDOT_CORE void add(fixed_point number, std::int64_t value, int exponent) {
  const std::uint64_t bits = static_cast<std::uint64_t>(value);
  add<64>(number, value < 0 ? std::uint64_t{0} - bits : bits, exponent, value < 0);
}

/// Brings every limb but the last into [0, 2^32); the last keeps the sign. Equal numbers then have equal limbs.
EXACTDOT_CORE void normalise(fixed_point number) {
  std::int64_t carry = 0;
  for (int i = 0; i < number.count - 1; ++i) {
    // The limb may be near ±2^63, so its high half is split off before the incoming carry is added.
    const std::int64_t high = number.limb[i] >> 32;
    const std::int64_t low = (number.limb[i] & 0xffffffff) + carry;
    carry = high + (low >> 32);
    number.limb[i] = low & 0xffffffff;
  }
  number.limb[number.count - 1] += carry;
}

/// number = -number, for a normalised number; the result is normalised.
EXACTDOT_CORE void negate(fixed_point number) {
  for (int i = 0; i < number.count; ++i) number.limb[i] = -number.limb[i];
  normalise(number);
}

/// Of a normalised number.
EXACTDOT_CORE bool is_negative(fixed_point number) { return number.limb[number.count - 1] < 0; }

}  // namespace exactdot::inline v0_3::core

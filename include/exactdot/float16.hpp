// SPDX-License-Identifier: Apache-2.0
// float16 and bfloat16: 16-bit floating-point numbers as storage types, with exact conversion to float.
//
// float16 is IEEE 754's binary16; bfloat16 has the exponent of a float and 8 significant bits. Both have the layout
// of CUDA's, Arm's and Intel's types of these names, so pointers can be converted by reinterpret_cast.
#pragma once

#include <exactdot/requirements.hpp>

#include <cstdint>

#if defined(__CUDACC__)
#define EXACTDOT_HOST_DEVICE __host__ __device__
#else
#define EXACTDOT_HOST_DEVICE
#endif

namespace exactdot::inline v0_3 {

namespace detail {

/// Whether a format has infinities, as those of IEEE 754 have. That of 4 exponent bits, float8_e4m3fn, has none:
/// the largest exponent has numbers too, and only all bits 1 are a NaN.
EXACTDOT_HOST_DEVICE constexpr bool has_infinity(int exponent_bits) { return exponent_bits != 4; }

/// The bits of the infinity, or of the NaN that stands for it, and of all else that is no finite number: these and
/// higher ones.
EXACTDOT_HOST_DEVICE constexpr std::uint64_t infinity_bits(int precision, int exponent_bits) {
  if (!has_infinity(exponent_bits)) return (std::uint64_t{1} << (precision - 1 + exponent_bits)) - 1;
  return ((std::uint64_t{1} << exponent_bits) - 1) << (precision - 1);
}

/// A float's bits from those of a number of `precision` significant bits with `exponent_bits`, exactly.
EXACTDOT_HOST_DEVICE constexpr std::uint32_t widened(std::uint32_t bits, int precision, int exponent_bits) {
  const int stored = precision - 1, sign_place = stored + exponent_bits;
  const std::uint32_t sign = bits >> sign_place << 31;
  const std::uint32_t magnitude = bits & ((1U << sign_place) - 1);
  std::uint32_t fraction = magnitude & ((1U << stored) - 1);
  const std::uint32_t field = magnitude >> stored;
  if (magnitude >= infinity_bits(precision, exponent_bits)) return sign | 0x7f800000U | fraction << (23 - stored);
  int exponent = static_cast<int>(field) - (1 << (exponent_bits - 1)) + 1;
  if (field == 0) {
    if (fraction == 0) return sign;
    if (exponent_bits == 8) return sign | magnitude << 16;  // a subnormal float
    ++exponent;
    for (; (fraction >> stored) == 0; fraction <<= 1) --exponent;
    fraction &= (1U << stored) - 1;
  }
  return sign | static_cast<std::uint32_t>(exponent + 127) << 23 | fraction << (23 - stored);
}

/// The bits of x rounded to nearest, ties to even. A NaN keeps its sign and becomes quiet. What exceeds the largest
/// number becomes an infinity or, in a format without one, the NaN with its sign.
EXACTDOT_HOST_DEVICE constexpr std::uint16_t narrowed(float x, int precision, int exponent_bits) {
  const std::uint32_t bits = __builtin_bit_cast(std::uint32_t, x);
  const std::uint32_t sign = bits >> 31 << (precision - 1 + exponent_bits);
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  const int stored = precision - 1;
  const auto infinite = static_cast<std::uint32_t>(infinity_bits(precision, exponent_bits));
  if (magnitude > 0x7f800000U) return static_cast<std::uint16_t>(sign | infinite | 1U << (stored - 1));
  const std::uint32_t field = magnitude >> 23;
  const std::uint64_t significand = (magnitude & 0x7fffffU) | (field == 0 ? 0U : 0x800000U);
  const int bias = (1 << (exponent_bits - 1)) - 1;
  // the weight of the significand's last bit and that of the result's, as powers of two
  const int exponent = static_cast<int>(field == 0 ? 1 : field) - 150;
  const int lowest = 1 - bias - stored;
  const int drop_normal = 24 - precision;
  const int drop = exponent + drop_normal < lowest ? lowest - exponent : drop_normal;
  if (drop > 25) return static_cast<std::uint16_t>(sign);
  const std::uint64_t kept = significand >> drop;
  const std::uint64_t rest = significand - (kept << drop), half = std::uint64_t{1} << (drop - 1);
  const std::uint64_t rounded = kept + ((rest > half || (rest == half && (kept & 1) != 0)) ? 1 : 0);
  // adding the significand with its hidden bit to the field less one lets a carry increment the field
  const std::uint64_t result = (static_cast<std::uint64_t>(exponent + drop - lowest) << stored) + rounded;
  return static_cast<std::uint16_t>(sign | (result >= infinite ? infinite : static_cast<std::uint32_t>(result)));
}

}  // namespace detail

/// IEEE 754 binary16: 11 significant bits, |x| <= 65504.
struct float16 {
  std::uint16_t bits = 0;

  float16() = default;
  /// Rounds to nearest, ties to even.
  EXACTDOT_HOST_DEVICE constexpr explicit float16(float x) : bits(detail::narrowed(x, 11, 5)) {}
  /// Exact.
  EXACTDOT_HOST_DEVICE constexpr operator float() const {
    return __builtin_bit_cast(float, detail::widened(bits, 11, 5));
  }
};

/// The upper half of a float: 8 significant bits and the range of a float.
struct bfloat16 {
  std::uint16_t bits = 0;

  bfloat16() = default;
  /// Rounds to nearest, ties to even.
  EXACTDOT_HOST_DEVICE constexpr explicit bfloat16(float x) : bits(detail::narrowed(x, 8, 8)) {}
  /// Exact.
  EXACTDOT_HOST_DEVICE constexpr operator float() const {
    return __builtin_bit_cast(float, std::uint32_t{bits} << 16);
  }
};

}  // namespace exactdot::inline v0_3

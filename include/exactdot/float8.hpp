// SPDX-License-Identifier: Apache-2.0
// float8_e4m3fn and float8_e5m2: 8-bit floating-point numbers as storage types, with exact conversion to float.
//
// Source: P. Micikevicius et al., "FP8 Formats for Deep Learning", arXiv:2209.05433, 2022. Names and bits are those
// of ml_dtypes, PyTorch and CUDA, so pointers can be converted by reinterpret_cast.
#pragma once

#include <exactdot/requirements.hpp>

#include <cstdint>
#include <exactdot/float16.hpp>

namespace exactdot::inline v0_3 {

/// 4 significant bits, |x| <= 448, multiples of 2^-9. No infinities: what exceeds 464, a tie that goes to 448,
/// becomes the NaN with its sign, 0x7f or 0xff.
struct float8_e4m3fn {
  std::uint8_t bits = 0;

  float8_e4m3fn() = default;
  /// Rounds to nearest, ties to even.
  EXACTDOT_HOST_DEVICE constexpr explicit float8_e4m3fn(float x)
      : bits(static_cast<std::uint8_t>(detail::narrowed(x, 4, 4))) {}
  /// Exact.
  EXACTDOT_HOST_DEVICE constexpr operator float() const {
    return __builtin_bit_cast(float, detail::widened(bits, 4, 4));
  }
};

/// 3 significant bits, |x| <= 57344, multiples of 2^-16; infinities and NaNs as in IEEE 754: the upper half of a
/// float16.
struct float8_e5m2 {
  std::uint8_t bits = 0;

  float8_e5m2() = default;
  /// Rounds to nearest, ties to even.
  EXACTDOT_HOST_DEVICE constexpr explicit float8_e5m2(float x)
      : bits(static_cast<std::uint8_t>(detail::narrowed(x, 3, 5))) {}
  /// Exact.
  EXACTDOT_HOST_DEVICE constexpr operator float() const {
    return __builtin_bit_cast(float, detail::widened(bits, 3, 5));
  }
};

}  // namespace exactdot::inline v0_3

// Conversions of 16-bit floats, rounded to nearest, ties to even (IEEE 754-2019, §4.3.1), and their shuffles.
//
// Sums, differences, products, quotients and roots of halves computed in float and rounded again are rounded once:
// float has more than 2 * 11 + 2 bits (Figueroa 1995). The same holds for bfloat16.
#pragma once

#include <cmath>
#include <cstdint>
#include <exactdot/simt/kernel.hpp>

namespace exactdot::simt::detail {

inline float half_to_float(std::uint16_t bits) {
  const std::uint32_t sign = (bits & 0x8000U) << 16, magnitude = bits & 0x7fffU;
  if (magnitude >= 0x7c00U) return bit_cast<float>(sign | 0x7f800000U | (magnitude & 0x3ffU) << 13);
  const float scaled = bit_cast<float>(magnitude << 13) * 0x1p112F;  // exact, also if subnormal
  return bit_cast<float>(bit_cast<std::uint32_t>(scaled) | sign);
}

/// Rounds a double, so that a float or an integer is rounded once. NaN gives CUDA's 0x7fff.
inline std::uint16_t to_half(double x) {
  if (x != x) return 0x7fff;
  const std::uint16_t sign = std::signbit(x) ? 0x8000 : 0;
  const double magnitude = std::fabs(x);
  if (magnitude >= 65520) return sign | 0x7c00;
  int exponent = -14;
  if (magnitude >= 0x1p-14) exponent = static_cast<int>(bit_cast<std::uint64_t>(magnitude) >> 52) - 1023;
  const double units = std::nearbyint(std::ldexp(magnitude, 10 - exponent));  // 0 to 2048
  return static_cast<std::uint16_t>(sign | (((exponent + 14) << 10) + static_cast<int>(units)));
}

inline float bfloat16_to_float(std::uint16_t bits) { return bit_cast<float>(std::uint32_t{bits} << 16); }
inline std::uint16_t to_bfloat16(float x) {
  if (x != x) return 0x7fff;
  const auto bits = bit_cast<std::uint32_t>(x);
  return static_cast<std::uint16_t>((bits + 0x7fffU + (bits >> 16 & 1U)) >> 16);
}
/// x as a float rounded to odd: rounding it again to bfloat16 is rounding once.
inline float round_to_odd(double x) {
  const auto nearest = static_cast<float>(x);
  if (x != x || static_cast<double>(nearest) == x || std::isinf(nearest)) return nearest;
  const auto bits = bit_cast<std::uint32_t>(nearest);
  if ((bits & 1U) != 0) return nearest;
  const bool too_large = std::fabs(static_cast<double>(nearest)) > std::fabs(x);
  return bit_cast<float>(too_large ? bits - 1 : bits + 1);
}
inline std::uint16_t double_to_bfloat16(double x) { return to_bfloat16(round_to_odd(x)); }
/// x * y + z for factors of at most 24 bits, rounded to odd at 53 bits: rounding it again is rounding once.
inline double fused_to_odd(double x, double y, double z) {
  const double product = x * y, sum = product + z;  // the product is exact
  const double rest = sum - product, error = (product - (sum - rest)) + (z - rest);
  const auto bits = bit_cast<std::uint64_t>(sum);
  if (!(error != 0) || (bits & 1U) != 0 || std::isinf(sum)) return sum;
  return bit_cast<double>((error > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

/// A float, or two, that a shuffle moves as one word.
template <class T, class = void>
inline constexpr bool shuffled_as_word = false;
template <class T>
inline constexpr bool shuffled_as_word<T, std::void_t<typename T::simt_word>> = true;

template <class T, class Shuffle, std::enable_if_t<shuffled_as_word<T>, int> = 0>
[[gnu::always_inline]] inline T shuffle_word(T value, Shuffle shuffle) {
  const unsigned word = shuffle(static_cast<unsigned>(bit_cast<typename T::simt_word>(value)));
  return bit_cast<T>(static_cast<typename T::simt_word>(word));
}

}  // namespace exactdot::simt::detail

template <class T, std::enable_if_t<exactdot::simt::detail::shuffled_as_word<T>, int> = 0>
[[gnu::always_inline]] inline T __shfl_sync(unsigned mask, T value, int source, int width = 32) {
  return exactdot::simt::detail::shuffle_word(
      value, [=](unsigned word) __attribute__((always_inline)) { return __shfl_sync(mask, word, source, width); });
}
template <class T, std::enable_if_t<exactdot::simt::detail::shuffled_as_word<T>, int> = 0>
[[gnu::always_inline]] inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  return exactdot::simt::detail::shuffle_word(
      value, [=](unsigned word)
                 __attribute__((always_inline)) { return __shfl_up_sync(mask, word, delta, width); });
}
template <class T, std::enable_if_t<exactdot::simt::detail::shuffled_as_word<T>, int> = 0>
[[gnu::always_inline]] inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  return exactdot::simt::detail::shuffle_word(
      value, [=](unsigned word)
                 __attribute__((always_inline)) { return __shfl_down_sync(mask, word, delta, width); });
}
template <class T, std::enable_if_t<exactdot::simt::detail::shuffled_as_word<T>, int> = 0>
[[gnu::always_inline]] inline T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = 32) {
  return exactdot::simt::detail::shuffle_word(
      value, [=](unsigned word)
                 __attribute__((always_inline)) { return __shfl_xor_sync(mask, word, lane_mask, width); });
}

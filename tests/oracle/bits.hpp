// The bit patterns of float and double, for oracles and tests.
//
// Read straight from the encoding (IEEE 754-2019 §3.4), not through libm, so that the oracles share no
// code with what they judge. Results are compared as patterns: then -0 is not +0, and a NaN is one NaN.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

namespace oracle {

template <class T>
struct format {
  using word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  static constexpr int precision = std::numeric_limits<T>::digits;
  static constexpr int top = std::numeric_limits<T>::max_exponent;  // every finite value is below 2^top
  static constexpr int smallest_normal = std::numeric_limits<T>::min_exponent - 1;
  static constexpr int lowest = smallest_normal - (precision - 1);  // 2^lowest: the least subnormal
  static constexpr int lowest_product = 2 * lowest;
  static constexpr word sign = word{1} << (8 * sizeof(T) - 1);
  static constexpr word infinity = ((word{1} << (8 * sizeof(T) - precision)) - 1) << (precision - 1);
  static constexpr word quiet_nan = infinity | (word{1} << (precision - 2));  // positive, payload 0
};

template <class T>
[[nodiscard]] constexpr auto to_bits(T x) {
  return std::bit_cast<typename format<T>::word>(x);
}

template <class T>
[[nodiscard]] constexpr T from_bits(typename format<T>::word bits) {
  return std::bit_cast<T>(bits);
}

template <class T>
[[nodiscard]] constexpr bool same_bits(T x, T y) {
  return to_bits(x) == to_bits(y);
}

template <class T>
[[nodiscard]] constexpr bool is_nan(T x) {
  return (to_bits(x) & ~format<T>::sign) > format<T>::infinity;
}

template <class T>
[[nodiscard]] constexpr bool is_infinite(T x) {
  return (to_bits(x) & ~format<T>::sign) == format<T>::infinity;
}

template <class T>
[[nodiscard]] constexpr bool is_negative(T x) {
  return (to_bits(x) & format<T>::sign) != 0;
}

/// A finite number as (-1)^negative · mantissa · 2^exponent, with mantissa < 2^precision.
struct parts {
  bool negative;
  std::uint64_t mantissa;
  int exponent;
};

template <class T>
[[nodiscard]] constexpr parts split(T x) {
  constexpr int fraction_bits = format<T>::precision - 1;
  const std::uint64_t magnitude = to_bits(x) & ~format<T>::sign;
  const int field = static_cast<int>(magnitude >> fraction_bits);
  const std::uint64_t fraction = magnitude & ((std::uint64_t{1} << fraction_bits) - 1);
  if (field == 0) return {is_negative(x), fraction, format<T>::lowest};
  return {is_negative(x), fraction | (std::uint64_t{1} << fraction_bits), format<T>::lowest + field - 1};
}

/// The inverse of split. Requires mantissa < 2^precision, exponent >= lowest, and a finite result.
template <class T>
[[nodiscard]] constexpr T join(parts p) {
  constexpr std::uint64_t hidden = std::uint64_t{1} << (format<T>::precision - 1);
  if (p.mantissa != 0) {
    while (p.mantissa < hidden && p.exponent > format<T>::lowest) p.mantissa <<= 1, --p.exponent;
  }
  const auto field = static_cast<std::uint64_t>(p.mantissa == 0 ? 0 : p.exponent - format<T>::lowest);
  const auto magnitude = (field << (format<T>::precision - 1)) + p.mantissa;
  return from_bits<T>(static_cast<typename format<T>::word>(magnitude) | (p.negative ? format<T>::sign : 0));
}

/// "0x1.8p+0 (bits 3fc00000)": for messages.
template <class T>
[[nodiscard]] std::string describe(T x);

}  // namespace oracle

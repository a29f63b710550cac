// The bit patterns of float and double, for oracles and tests.
//
// They are read from the encoding (IEEE 754-2019 §3.4), not through libm, so that the oracles share no code with
// the functions under test. Results are compared as patterns: -0 differs from +0, and NaNs differ by sign and
// payload.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

namespace oracle {

/// The pattern of the positive infinity. E4M3 (OCP 8-bit Floating Point Specification 1.0, table 1), the only format of
/// 4 exponent bits, has none: there it is that of its only positive NaN, all ones, which stands for it.
[[nodiscard]] constexpr bool has_infinity(int exponent_bits) { return exponent_bits != 4; }
[[nodiscard]] constexpr std::uint64_t infinity_pattern(int precision, int exponent_bits) {
  const std::uint64_t field = (std::uint64_t{1} << exponent_bits) - 1, fraction = (std::uint64_t{1} << (precision - 1)) - 1;
  return field << (precision - 1) | (has_infinity(exponent_bits) ? 0 : fraction);
}

template <class T>
struct format {
  using bits = std::conditional_t<std::is_same_v<T, float>, std::uint32_t, std::uint64_t>;
  static constexpr int precision = std::numeric_limits<T>::digits;
  static constexpr int highest_exponent = std::numeric_limits<T>::max_exponent;  // finite |x| < 2^highest_exponent
  static constexpr int lowest_normal_exponent = std::numeric_limits<T>::min_exponent - 1;
  static constexpr int lowest_exponent = lowest_normal_exponent - (precision - 1);  // the least subnormal: 2^this
  static constexpr int lowest_product_exponent = 2 * lowest_exponent;
  static constexpr bits sign = bits{1} << (8 * sizeof(T) - 1);
  static constexpr bits infinity = ((bits{1} << (8 * sizeof(T) - precision)) - 1) << (precision - 1);
  static constexpr bits quiet_nan = infinity | (bits{1} << (precision - 2));  // positive, payload 0
};

template <class T>
[[nodiscard]] constexpr auto to_bits(T x) {
  return std::bit_cast<typename format<T>::bits>(x);
}

template <class T>
[[nodiscard]] constexpr T from_bits(typename format<T>::bits bits) {
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
struct decomposed {
  bool negative;
  std::uint64_t mantissa;
  int exponent;
};

template <class T>
[[nodiscard]] constexpr decomposed decompose(T x) {
  constexpr int fraction_bits = format<T>::precision - 1;
  const std::uint64_t magnitude = to_bits(x) & ~format<T>::sign;
  const int field = static_cast<int>(magnitude >> fraction_bits);
  const std::uint64_t fraction = magnitude & ((std::uint64_t{1} << fraction_bits) - 1);
  if (field == 0) return {is_negative(x), fraction, format<T>::lowest_exponent};
  return {is_negative(x), fraction | (std::uint64_t{1} << fraction_bits), format<T>::lowest_exponent + field - 1};
}

/// The inverse of decompose. Requires mantissa < 2^precision, exponent >= lowest_exponent, and a finite result.
template <class T>
[[nodiscard]] constexpr T compose(decomposed x) {
  constexpr std::uint64_t hidden = std::uint64_t{1} << (format<T>::precision - 1);
  if (x.mantissa != 0) {
    while (x.mantissa < hidden && x.exponent > format<T>::lowest_exponent) x.mantissa <<= 1, --x.exponent;
  }
  const auto field = static_cast<std::uint64_t>(x.mantissa == 0 ? 0 : x.exponent - format<T>::lowest_exponent);
  const auto magnitude = (field << (format<T>::precision - 1)) + x.mantissa;
  return from_bits<T>(static_cast<typename format<T>::bits>(magnitude) | (x.negative ? format<T>::sign : 0));
}

/// The text of a number in messages: "0x1.8p+0 (bits 3fc00000)".
template <class T>
[[nodiscard]] std::string describe(T x);

}  // namespace oracle

// Elements as carriers: exact conversions from the bits of every element type.
//
// Integer operations where floating-point ones would depend on the environment (subnormals under DAZ), and no branches
// on data, so that compilers vectorise loops of them.
#pragma once

#include <exactdot/core/carrier.hpp>
#include <exactdot/core/rounding.hpp>

namespace exactdot::inline v0_3::core {

/// The bits of a T whose numbers are normal floats as a float.
template <class T>
EXACTDOT_CORE float small_float_value(std::uint32_t bits) {
  constexpr number_format of = format<T>::number;
  constexpr int stored = of.precision - 1, sign_place = stored + of.exponent_bits, up = 23 - stored;
  constexpr auto bias = static_cast<std::uint32_t>(128 - (1 << (of.exponent_bits - 1)));
  constexpr auto infinite = static_cast<std::uint32_t>(infinity_word(of, false));
  constexpr float last_bit = bit_cast<float>(static_cast<std::uint32_t>(of.lowest_exponent() + 127) << 23);
  const std::uint32_t magnitude = bits & ((1U << sign_place) - 1), sign = bits >> sign_place << 31;
  const std::uint32_t normal = (magnitude << up) + (bias << 23);
  const std::uint32_t special = magnitude << up | 0x7f800000U;
  const auto subnormal = bit_cast<std::uint32_t>(static_cast<float>(static_cast<int>(magnitude)) * last_bit);
  const std::uint32_t finite = magnitude < (1U << stored) ? subnormal : normal;
  return bit_cast<float>(sign | (magnitude >= infinite ? special : finite));
}

EXACTDOT_CORE float float16_value(std::uint16_t bits) { return small_float_value<float16>(bits); }

EXACTDOT_CORE float bfloat16_value(std::uint16_t bits) {
  return bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

/// A float as a double.
EXACTDOT_CORE double float_value(float x) {
  const std::uint32_t bits = bit_cast<std::uint32_t>(x), magnitude = bits & 0x7fffffffU;
  const double subnormal = static_cast<double>(static_cast<int>(magnitude)) * 0x1p-149;
  const double size = magnitude < 0x800000U ? subnormal : static_cast<double>(bit_cast<float>(magnitude));
  return bits >> 31 != 0 ? -size : size;
}

/// A half of a 64-bit integer as a double: part 0 holds the upper bits of its magnitude, part 1 the lower 32; both
/// have its sign. The half is the fraction of a double of 2^84 or 2^52, which is subtracted: no conversion.
EXACTDOT_CORE double half_of(std::uint64_t bits, bool is_signed, int part) {
  constexpr std::uint64_t sign_bit = std::uint64_t{1} << 63;
  const std::uint64_t sign = is_signed ? bits & sign_bit : 0, negative = std::uint64_t{0} - (sign >> 63);
  const std::uint64_t size = (bits ^ negative) - negative;
  const std::uint64_t half = part == 0 ? size >> 32 : size & 0xffffffffU;
  const double place = part == 0 ? 0x1p84 : 0x1p52;
  const double found = bit_cast<double>(bit_cast<std::uint64_t>(place) | half) - place;
  return bit_cast<double>((bit_cast<std::uint64_t>(found) & ~sign_bit) | sign);  // 0 may have been rounded to -0
}

/// The element of type T with these bits, as a carrier that holds it (`part`: see half_of).
template <class Carrier, element T>
EXACTDOT_CORE Carrier carrier_value(typename detail::unsigned_of<sizeof(T)>::type bits, int part) {
  if constexpr (floating_element<T> && format<T>::exponent_bits < 8) {
    return small_float_value<T>(bits);  // a normal float, or one that double converts exactly
  } else if constexpr (type_of<T> == element_type::bfloat16) {
    if constexpr (std::is_same_v<Carrier, double>) return float_value(bfloat16_value(bits));
    return static_cast<Carrier>(bfloat16_value(bits));
  } else if constexpr (integer_element<T> && sizeof(T) == 8) {
    return static_cast<Carrier>(half_of(bits, detail::has_sign<T>, part));
  } else if constexpr (std::is_same_v<T, float> && std::is_same_v<Carrier, double>) {
    return float_value(bit_cast<T>(bits));
  } else {
    return static_cast<Carrier>(bit_cast<T>(bits));
  }
}

}  // namespace exactdot::inline v0_3::core

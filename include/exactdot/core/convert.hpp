// Elements as carriers: exact conversions from the bits of every element type.
//
// Integer operations where floating-point ones would depend on the environment (subnormals under DAZ), and no branches
// on data, so that compilers vectorise loops of them.
#pragma once

#include <exactdot/core/carrier.hpp>

namespace exactdot::inline v0_3::core {

/// The bits of a float16 as a float.
EXACTDOT_CORE float float16_value(std::uint16_t bits) {
  const std::uint32_t magnitude = bits & 0x7fffU, sign = static_cast<std::uint32_t>(bits >> 15) << 31;
  const std::uint32_t normal = (magnitude << 13) + (112U << 23);
  const std::uint32_t special = magnitude << 13 | 0x7f800000U;
  const auto subnormal = bit_cast<std::uint32_t>(static_cast<float>(static_cast<int>(magnitude)) * 0x1p-24F);
  const std::uint32_t finite = magnitude < 0x400U ? subnormal : normal;
  return bit_cast<float>(sign | (magnitude >= 0x7c00U ? special : finite));
}

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
/// have its sign.
EXACTDOT_CORE double half_of(std::uint64_t bits, bool is_signed, int part) {
  const bool negative = is_signed && bits >> 63 != 0;
  const std::uint64_t size = negative ? std::uint64_t{0} - bits : bits;
  const double half = part == 0 ? static_cast<double>(static_cast<std::uint32_t>(size >> 32)) * 0x1p32
                                : static_cast<double>(static_cast<std::uint32_t>(size));
  return negative ? -half : half;
}

/// The element of type T with these bits, as a carrier that holds it (`part`: see half_of).
template <class Carrier, element T>
EXACTDOT_CORE Carrier carrier_value(typename detail::unsigned_of<sizeof(T)>::type bits, int part) {
  if constexpr (type_of<T> == element_type::float16) {
    return float16_value(bits);  // a normal float, or one that double converts exactly
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

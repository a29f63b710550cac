// Number formats: what the numerics need to know of a type's bits, derived from its entry in the element table.
//
// format<T> serves kernels, where T is a type; number_format serves rounding, where the result type is a value.
#pragma once

#include <exactdot/core/config.hpp>
#include <exactdot/views.hpp>

namespace exactdot::inline v0_3::core {

/// A binary interchange format of IEEE 754, or one like it: 1 sign bit, exponent_bits, precision - 1 stored bits.
/// One has no infinity: detail::has_infinity.
struct number_format {
  int precision;  ///< significant bits, the hidden one included
  int exponent_bits;

  /// Every finite |x| < 2^highest_exponent.
  [[nodiscard]] EXACTDOT_CORE int highest_exponent() const {
    return (1 << (exponent_bits - 1)) + (detail::has_infinity(exponent_bits) ? 0 : 1);
  }
  /// The last bit of a subnormal weighs 2^lowest_exponent.
  [[nodiscard]] EXACTDOT_CORE int lowest_exponent() const { return 3 - (1 << (exponent_bits - 1)) - precision; }
};

constexpr number_format format_of(element_type type) {
  return {info_of(type).precision, info_of(type).exponent_bits};
}

template <class T>
struct format {
  using bits = typename detail::unsigned_of<sizeof(T)>::type;
  static constexpr number_format number = format_of(type_of<T>);
  static constexpr int precision = number.precision;
  static constexpr int exponent_bits = number.exponent_bits;
  static constexpr int lowest_exponent = number.lowest_exponent();
  static constexpr int highest_exponent = number.highest_exponent();
};

static_assert(format<float>::lowest_exponent == -149 && format<float>::highest_exponent == 128);
static_assert(format<double>::lowest_exponent == -1074 && format<double>::highest_exponent == 1024);

}  // namespace exactdot::inline v0_3::core

// Carriers: the types in which terms become exact addends. Every element type has one; elements are converted to it,
// which is exact.
//
// float: the product of two floats is exact in double, so a term is one stream of doubles.
// double: the product of two doubles is a value and an error (TwoProduct), so a product is two streams.
// 64-bit integers need two doubles: their upper and their lower 32 bits.
#pragma once

#include <exactdot/core/format.hpp>

namespace exactdot::inline v0_3::core {

template <class T>
struct carrier;

template <>
struct carrier<float> {
  static constexpr bool product_fits_double = true;
  /// How far the last bit of a product lies below the sum of the factors' exponents.
  static constexpr int product_low_bit = 46;
  /// CPU windows (cpu/window.hpp) whose rounded products are normal numbers.
  static constexpr int lowest_window = -93, highest_window = 126;
};

template <>
struct carrier<double> {
  static constexpr bool product_fits_double = false;
  static constexpr int product_low_bit = 52;  ///< of the rounded product
  static constexpr int lowest_window = -800, highest_window = 1000;
};

/// The carrier of an element type. Of floating-point types this is also the type of sums in mode fast.
constexpr element_type carrier_of(element_type type) {
  return info_of(type).precision <= 24 ? element_type::float32 : element_type::float64;
}
template <element Element>
using carrier_for = std::conditional_t<carrier_of(type_of<Element>) == element_type::float32, float, double>;

/// The wider of two carriers.
constexpr element_type wider(element_type x, element_type y) { return x == element_type::float64 ? x : y; }

/// Carriers that an element needs: two for the halves of a 64-bit integer.
constexpr int parts_of(element_type type) { return is_integer(type) && size_of(type) == 8 ? 2 : 1; }

/// log2 of the number of largest products that a state holds.
inline constexpr int headroom_bits = 63;

/// The last bit of any product of two T, and the power of two above every product.
template <class T>
inline constexpr int lowest_product_exponent = detail::state_shape_of(type_of<T>).lowest_exponent;
template <class T>
inline constexpr int highest_product_exponent = detail::state_shape_of(type_of<T>).highest_exponent;
/// Limbs of radix 2^32 that hold the headroom of largest products.
template <class T>
inline constexpr int limb_count = detail::state_shape_of(type_of<T>).limbs();
static_assert(lowest_product_exponent<float> == 2 * format<float>::lowest_exponent &&
              highest_product_exponent<double> == 2 * format<double>::highest_exponent);

}  // namespace exactdot::inline v0_3::core

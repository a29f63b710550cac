// Carriers: the types in which terms become exact addends. Every element has one; narrower elements are converted.
//
// float: the product of two floats is exact in double, so a term is one stream of doubles.
// double: the product of two doubles is a value and an error (TwoProduct), so a product is two streams.
// Exact states belong to carriers.
#pragma once

#include <core/format.hpp>

namespace exactdot::core {

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

/// The carrier of an element type. Identical for float and double.
template <class Element>
using carrier_of = std::conditional_t<format<Element>::precision <= 24, float, double>;

constexpr element_type carrier_type(element_type type) {
  return with_element(type, []<class T>(T) { return type_of<carrier_of<T>>; });
}

/// log2 of the number of largest products that a state holds.
inline constexpr int headroom_bits = 63;

/// The last bit of any product of two T, and the power of two above every product.
template <class T>
inline constexpr int lowest_product_exponent = detail::lowest_product_exponent(info_of(type_of<T>));
template <class T>
inline constexpr int highest_product_exponent = detail::highest_product_exponent(info_of(type_of<T>));
/// Limbs of radix 2^32 that hold the headroom of largest products.
template <class T>
inline constexpr int limb_count = detail::limb_count(info_of(type_of<T>));
static_assert(lowest_product_exponent<float> == 2 * format<float>::lowest_exponent &&
              highest_product_exponent<double> == 2 * format<double>::highest_exponent);

}  // namespace exactdot::core

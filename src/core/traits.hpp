// One row per element type: the numbers that its kernels, limbs and rounding are made from.
//
// To add a type, add a row here; the numerics ask the row, not which type it is.
#pragma once

#include <core/config.hpp>

namespace exactdot::core {

template <class T>
struct traits;

template <>
struct traits<float> {
  using bits = std::uint32_t;
  static constexpr int precision = 24;  // significant bits, the hidden one included
  static constexpr int exponent_bits = 8;
  static constexpr int lowest_exponent = -149;  // of the last bit of a subnormal
  static constexpr int highest_exponent = 128;  // every finite |x| < 2^128
  static constexpr int limb_count = 20;         // see limbs.hpp

  // For the vector engines (src/cpu/window.hpp):
  static constexpr bool product_fits_double = true;  // else a product is two doubles, TwoProduct's value and error
  static constexpr int product_low_bit = 46;  // how far the last bit lies below the sum of the factors' exponents
  static constexpr int lowest_window = -93, highest_window = 126;  // windows whose rounded products are normal T
};

template <>
struct traits<double> {
  using bits = std::uint64_t;
  static constexpr int precision = 53;
  static constexpr int exponent_bits = 11;
  static constexpr int lowest_exponent = -1074;
  static constexpr int highest_exponent = 1024;
  static constexpr int limb_count = 134;

  static constexpr bool product_fits_double = false;
  static constexpr int product_low_bit = 52;  // of the rounded product
  static constexpr int lowest_window = -800, highest_window = 1000;
};

/// log2 of the number of largest products that the limbs hold.
inline constexpr int headroom_bits = 63;

/// The last bit of any product of two T, and the power of two above every product.
template <class T>
inline constexpr int lowest_product_exponent = 2 * traits<T>::lowest_exponent;
template <class T>
inline constexpr int highest_product_exponent = 2 * traits<T>::highest_exponent;

static_assert(32 * (traits<float>::limb_count - 1) + lowest_product_exponent<float> <
              highest_product_exponent<float> + headroom_bits);
static_assert(32 * traits<float>::limb_count + lowest_product_exponent<float> >
              highest_product_exponent<float> + headroom_bits);
static_assert(32 * (traits<double>::limb_count - 1) + lowest_product_exponent<double> <
              highest_product_exponent<double> + headroom_bits);
static_assert(32 * traits<double>::limb_count + lowest_product_exponent<double> >
              highest_product_exponent<double> + headroom_bits);

}  // namespace exactdot::core

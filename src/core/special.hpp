// A floating-point number taken apart: sign, integer significand, exponent, and what kind of number it is.
//
// Works on the bits, so neither FTZ/DAZ nor the rounding mode of the caller can touch it.
#pragma once

#include <core/traits.hpp>

namespace exactdot::core {

enum class kind : unsigned char { finite, infinite, nan };

/// A product or a single number: (-1)^negative · magnitude · 2^exponent, exact, when finite.
struct exact_term {
  uint128 magnitude = 0;
  int exponent = 0;
  bool negative = false;
  kind what = kind::finite;
};

/// x as significand · 2^exponent. No rounding; subnormals included.
template <class T>
EXACTDOT_CORE exact_term take_apart(T x) {
  using row = traits<T>;
  using bits = typename row::bits;
  constexpr int stored = row::precision - 1;
  constexpr bits mantissa_mask = (bits{1} << stored) - 1;
  constexpr bits exponent_mask = (bits{1} << row::exponent_bits) - 1;
  const bits raw = bit_cast<bits>(x);
  const bits mantissa = raw & mantissa_mask;
  const bits field = (raw >> stored) & exponent_mask;
  exact_term term;
  term.negative = (raw >> (stored + row::exponent_bits)) != 0;
  if (field == exponent_mask) {
    term.what = mantissa == 0 ? kind::infinite : kind::nan;
  } else if (field == 0) {
    term.magnitude = mantissa;
    term.exponent = row::lowest_exponent;
  } else {
    term.magnitude = mantissa | (bits{1} << stored);
    term.exponent = static_cast<int>(field) - 1 + row::lowest_exponent;
  }
  return term;
}

/// a·b as an integer times a power of two: exact over the whole range, overflow and underflow included.
/// NaN for a NaN input and for 0·inf. Cost: one 64x64-bit integer product.
template <class T>
EXACTDOT_CORE exact_term exact_product(T a, T b) {
  const exact_term x = take_apart(a);
  const exact_term y = take_apart(b);
  exact_term product;
  product.negative = x.negative != y.negative;
  if (x.what == kind::finite && y.what == kind::finite) {
    product.magnitude =
        static_cast<uint128>(static_cast<std::uint64_t>(x.magnitude)) * static_cast<std::uint64_t>(y.magnitude);
    product.exponent = x.exponent + y.exponent;
  } else if (x.what == kind::nan || y.what == kind::nan || (x.what == kind::finite && x.magnitude == 0) ||
             (y.what == kind::finite && y.magnitude == 0)) {
    product.what = kind::nan;
  } else {
    product.what = kind::infinite;
  }
  return product;
}

}  // namespace exactdot::core

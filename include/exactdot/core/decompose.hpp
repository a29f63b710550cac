// Floating-point numbers as integers: sign, significand, exponent, kind.
//
// Works on the bits, so neither FTZ/DAZ nor the caller's rounding mode affects it.
#pragma once

#include <exactdot/core/format.hpp>

namespace exactdot::inline v0_3::core {

enum class kind : unsigned char { finite, infinite, nan };

/// A number or a product: (-1)^negative · magnitude · 2^exponent, exact, if finite.
struct exact_term {
  uint128 magnitude = 0;
  int exponent = 0;
  bool negative = false;
  core::kind kind = core::kind::finite;
};

/// x as significand · 2^exponent. No rounding; subnormals included.
template <class T>
EXACTDOT_CORE exact_term decompose(T x) {
  using bits = typename format<T>::bits;
  constexpr int stored = format<T>::precision - 1;
  constexpr bits mantissa_mask = (bits{1} << stored) - 1;
  constexpr bits exponent_mask = (bits{1} << format<T>::exponent_bits) - 1;
  const bits raw = bit_cast<bits>(x);
  const bits mantissa = raw & mantissa_mask;
  const bits field = (raw >> stored) & exponent_mask;
  exact_term term;
  term.negative = (raw >> (stored + format<T>::exponent_bits)) != 0;
  constexpr bool with_infinity = detail::has_infinity(format<T>::exponent_bits);
  if (field == exponent_mask && (with_infinity || mantissa == mantissa_mask)) {
    term.kind = with_infinity && mantissa == 0 ? kind::infinite : kind::nan;
  } else if (field == 0) {
    term.magnitude = mantissa;
    term.exponent = format<T>::lowest_exponent;
  } else {
    term.magnitude = mantissa | (bits{1} << stored);
    term.exponent = static_cast<int>(field) - 1 + format<T>::lowest_exponent;
  }
  return term;
}

/// x·y for factors of at most 64 bits: exact over the whole range. NaN for a NaN factor and for 0·∞.
/// Cost: one 64x64-bit integer product.
EXACTDOT_CORE exact_term multiply(const exact_term& x, const exact_term& y) {
  exact_term product;
  product.negative = x.negative != y.negative;
  if (x.kind == kind::finite && y.kind == kind::finite) {
    product.magnitude =
        static_cast<uint128>(static_cast<std::uint64_t>(x.magnitude)) * static_cast<std::uint64_t>(y.magnitude);
    product.exponent = x.exponent + y.exponent;
  } else if (x.kind == kind::nan || y.kind == kind::nan || (x.kind == kind::finite && x.magnitude == 0) ||
             (y.kind == kind::finite && y.magnitude == 0)) {
    product.kind = kind::nan;
  } else {
    product.kind = kind::infinite;
  }
  return product;
}

}  // namespace exactdot::inline v0_3::core

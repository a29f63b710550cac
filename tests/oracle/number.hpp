// Elements of any type as exact numbers, read from the bytes of a view.
//
// Of exactdot this uses the declarations of views and element types, no function of the library.
#pragma once

#include <cstddef>
#include <exactdot/views.hpp>
#include <string>

#include "oracle/bits.hpp"

namespace oracle {

enum class kind : unsigned char { finite, infinite, nan };

struct number {
  oracle::kind kind = kind::finite;
  decomposed value = {};  // of an infinity or a NaN: only the sign
};

/// The number with this encoding: 1 sign bit, then exponent and mantissa (IEEE 754-2019 §3.4).
[[nodiscard]] number decode(std::uint64_t bits, int width, int precision);

/// The number that these bits are, as an element or a result.
[[nodiscard]] number decode(exactdot::element_type type, std::uint64_t bits);

template <class T>
[[nodiscard]] number number_of(T x) {
  return decode(to_bits(x), 8 * sizeof(T), format<T>::precision);
}

/// Element i of the view.
[[nodiscard]] number element_at(const exactdot::any_vector& x, std::size_t i);

/// The number as a T. Requires that T represents it; a NaN becomes the canonical one.
template <class T>
[[nodiscard]] T as(const number& x) {
  const typename format<T>::bits sign = x.value.negative ? format<T>::sign : 0;
  if (x.kind == kind::nan) return from_bits<T>(format<T>::quiet_nan);
  if (x.kind == kind::infinite) return from_bits<T>(format<T>::infinity | sign);
  return compose<T>(x.value);
}

/// The text of a result in messages: "-0x3p-1 (bits bfc00000)".
[[nodiscard]] std::string describe(const exactdot::any_scalar& result);

}  // namespace oracle

// The order of elements in min, max and their indices (IEEE 754-2019, minimum and maximum): -0 < +0, and NaN wins.
//
// Elements become unsigned keys, of which the least is the extreme: for floating-point numbers the bits, negated
// for negative numbers; for the greatest element all bits are inverted. Integer comparisons, so no floating-point
// environment matters.
#pragma once

#include <exactdot/core/rounding.hpp>

namespace exactdot::inline v0_3::core {

/// The key of an element: the more extreme, the less. 0 for NaN.
template <element T, bool greatest>
EXACTDOT_CORE auto ordered_key(typename detail::unsigned_of<sizeof(T)>::type bits) {
  using word = typename detail::unsigned_of<sizeof(T)>::type;
  constexpr word sign = static_cast<word>(word{1} << (8 * sizeof(T) - 1));
  if constexpr (integer_element<T>) {
    const word key = detail::has_sign<T> ? static_cast<word>(bits ^ sign) : bits;
    return greatest ? static_cast<word>(~key) : key;
  } else {
    constexpr number_format to = format<T>::number;
    constexpr word greatest_number = static_cast<word>(greatest_word(to));
    const word ascending = (bits & sign) != 0 ? static_cast<word>(~bits) : static_cast<word>(bits | sign);
    const word key = greatest ? static_cast<word>(~ascending) : ascending;
    return static_cast<word>((bits & ~sign) > greatest_number ? word{0} : key);
  }
}

/// The bits of the element with this key; the canonical NaN for the key of NaN.
template <element T, bool greatest>
EXACTDOT_CORE std::uint64_t element_of_key(std::uint64_t key) {
  using word = typename detail::unsigned_of<sizeof(T)>::type;
  constexpr word sign = static_cast<word>(word{1} << (8 * sizeof(T) - 1));
  const word ascending = greatest ? static_cast<word>(~key) : static_cast<word>(key);
  if constexpr (integer_element<T>) {
    return detail::has_sign<T> ? static_cast<word>(ascending ^ sign) : ascending;
  } else {
    constexpr number_format to = format<T>::number;
    // a negative number's every bit was inverted, a positive one's sign; no branch, so that loops take many at once
    const auto flip = static_cast<word>(sign | static_cast<word>((ascending >> (8 * sizeof(T) - 1)) - 1));
    return static_cast<word>(key) == 0 ? static_cast<word>(nan_word(to)) : static_cast<word>(ascending ^ flip);
  }
}

}  // namespace exactdot::inline v0_3::core

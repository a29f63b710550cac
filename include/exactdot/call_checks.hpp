// SPDX-License-Identifier: Apache-2.0
// What the typed calls refuse while they compile: each check is one sentence in the compiler's output.
//
// Constraints would name every overload that was tried. So the calls take any argument and check it here; after a
// failure they return `refused`, which fits everywhere, so that no second error follows. To ask without an error
// whether a type is accepted there are the concepts `element` and `vector_view`.
#pragma once

#include <exactdot/requirements.hpp>

#include <cstddef>
#include <cstdint>
#include <exactdot/ddof.hpp>
#include <exactdot/element.hpp>
#include <exactdot/reduction.hpp>
#include <exactdot/views.hpp>
#include <ranges>
#include <type_traits>
#include <utility>

namespace exactdot::inline v0_3::detail {

/// The value of a call that a check has refused.
struct refused {
  template <class T>
  operator T() const;  // never defined
};

template <class T, class... Others>
inline constexpr bool is_one_of = (std::is_same_v<T, Others> || ...);

/// Refuses T unless it is an element type.
template <class T>
constexpr bool check_element() {
  constexpr bool is_text = is_one_of<T, char, wchar_t, char8_t, char16_t, char32_t>;
  constexpr bool is_bool = std::is_same_v<T, bool>, is_byte = std::is_same_v<T, std::byte>;
  constexpr bool is_long_double = std::is_same_v<T, long double>;
  static_assert(!is_bool, "exactdot: bool is no element type; count with std::ranges::count, or use std::uint8_t");
  static_assert(!is_byte, "exactdot: std::byte is no number; read the bytes as std::uint8_t");
  static_assert(!is_text,
                "exactdot: char is text, and signed on some machines only; use std::int8_t or std::uint8_t");
  static_assert(!is_long_double, "exactdot: long double has another format on each machine; use double");
  static_assert(
      element<T> || is_bool || is_byte || is_text || is_long_double,
      "exactdot: no element type: use float, double, exactdot::float16, bfloat16, float8_e4m3fn or float8_e5m2, or "
      "integers of 8 to 64 bits");
  return element<T>;
}

/// Refuses X unless it is a view of elements.
template <class X>
constexpr bool check_view() {
  constexpr bool is_pointer = std::is_pointer_v<X>, is_any = std::is_same_v<X, any_vector>;
  static_assert(!is_pointer, "exactdot: a pointer alone has no length; pass pointer and length, or a std::span");
  static_assert(!is_kept<X>, "exactdot: where, skip_nan and with_initial go around the one input, or the first of two, of a "
                             "reduction; no other call takes them");
  static_assert(!is_any,
                "exactdot: any_vector has a type that is known at run time: call reduce(what, x, result type)");
  if constexpr (is_pointer || is_any || is_kept<X>) {
    return false;
  } else if constexpr (vector_view<X>) {
    return true;
  } else if constexpr (std::ranges::range<const X>) {
    if constexpr (check_element<std::ranges::range_value_t<const X>>()) {
      static_assert(vector_view<X>,
                    "exactdot: the range is not contiguous; copy it to a std::vector, or use strided");
    }
    return false;
  } else {
    static_assert(vector_view<X>, "exactdot: no vector: pass a contiguous range such as std::vector, or strided");
    return false;
  }
}

/// Refuses R unless it is a result type of this reduction of these elements. void: the default.
template <reduction what, class R, element... X>
constexpr bool check_result() {
  if constexpr (std::is_void_v<R>) {
    return true;
  } else if constexpr (!check_element<R>()) {
    return false;
  } else if constexpr (gives_element(what)) {
    constexpr bool same = ((type_of<R> == type_of<X>)&&...);
    static_assert(same, "exactdot: the result of min and max has the element type");
    return same;
  } else if constexpr (floating_element<R> && !gives_index(what)) {
    return true;
  } else {
    constexpr bool has_integers = gives_index(what) || (gives_sum(what) && (integer_element<X> && ...));
    constexpr bool holds = integer_element<R> && sizeof(R) == 8;
    static_assert(has_integers,
                  "exactdot: integers are results of sums of integers only; use a floating-point type");
    static_assert(holds || !has_integers, "exactdot: integers are summed to, and indices are, 64-bit integers");
    return has_integers && holds;
  }
}

/// Whether a reduction of complex numbers has complex results.
constexpr bool gives_complex(reduction what) { return core::info_of(what).gives_complex(); }

/// Refuses R unless the reduction of complex numbers has such results. void: the default.
template <reduction what, class R>
constexpr bool check_complex_result() {
  constexpr bool is_of_complex = core::info_of(what).takes_complex();
  static_assert(is_of_complex, "exactdot: complex numbers have sums, means, norms and dot products");
  if constexpr (is_of_complex && !std::is_void_v<R>) {
    constexpr bool fits = gives_complex(what) ? complex_number<R> : floating_element<R>;
    static_assert(fits,
                  "exactdot: sums, means and products of complex numbers are std::complex of float or double, "
                  "norms are floating-point numbers");
    return fits;
  }
  return is_of_complex;
}

/// Refuses X as an addend of an accumulator<T>.
template <element T, class X>
constexpr bool check_addend() {
  if constexpr (!check_element<X>()) {
    return false;
  } else {
    constexpr bool holds = state_holds(type_of<T>, type_of<X>);
    static_assert(
        holds,
        "exactdot: this accumulator does not hold such elements exactly; use one of a wider type, such as "
        "accumulator<double>, or convert them");
    return holds;
  }
}

/// Refuses products of integers and floating-point numbers.
template <element A, element B>
constexpr bool check_factors() {
  constexpr bool match = integer_element<A> == integer_element<B>;
  static_assert(match,
                "exactdot: one vector holds integers, the other floating-point numbers; convert one of them");
  return match;
}

}  // namespace exactdot::inline v0_3::detail

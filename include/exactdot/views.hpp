// SPDX-License-Identifier: Apache-2.0
// Views of vectors: what a reduction reads, wherever and however it lies in memory.
//
// A contiguous range (std::span, std::vector, std::array, …) is a view by itself. `strided` adds a stride,
// any_vector an element type and a byte order that are known at run time only.
#pragma once

#include <exactdot/requirements.hpp>

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exactdot/element.hpp>
#include <limits>
#include <ranges>
#include <type_traits>

namespace exactdot::inline v0_3 {

/// n elements; element i is data[i·stride]. The stride may be negative, and 0 repeats one element.
template <element T>
struct strided {
  const T* data = nullptr;
  std::size_t n = 0;
  std::ptrdiff_t stride = 1;

  using value_type = T;
};
template <class T>
strided(const T*, std::size_t, std::ptrdiff_t) -> strided<std::remove_cv_t<T>>;

/// n elements of a type that is a value; element i starts `i·stride` bytes after `data`.
struct any_vector {
  const void* data = nullptr;
  std::size_t n = 0;
  element_type type = element_type::float64;
  std::ptrdiff_t stride = 0;  ///< in bytes; need not be a multiple of the element's size in host memory
  bool swapped = false;       ///< the elements have the byte order that this machine does not have
  bool conjugated = false;    ///< of complex types: the numbers are the conjugates of what memory holds

  constexpr any_vector() = default;
  /// Contiguous.
  constexpr any_vector(const void* first, std::size_t count, element_type of_elements)
      : any_vector(first, count, of_elements,
                   is_known(of_elements) ? static_cast<std::ptrdiff_t>(size_of(of_elements)) : 0) {}
  constexpr any_vector(const void* first, std::size_t count, element_type of_elements, std::ptrdiff_t bytes,
                       bool is_swapped = false)
      : data(first), n(count), type(of_elements), stride(bytes), swapped(is_swapped) {}
};

/// A vector or a shape of which some elements are not there (missing.hpp).
template <class X>
struct kept;

namespace detail {
/// std::complex of float or double, and types like it: two parts, one after the other (complex.hpp).
template <class C>
concept complex_number = std::is_class_v<C> && std::is_trivially_copyable_v<C> && requires(const C& x) {
  typename C::value_type;
  requires std::is_same_v<typename C::value_type, float> || std::is_same_v<typename C::value_type, double>;
  requires sizeof(C) == 2 * sizeof(typename C::value_type);
  { x.real() } -> std::convertible_to<typename C::value_type>;
  { x.imag() } -> std::convertible_to<typename C::value_type>;
};
template <class View>
concept complex_view = std::ranges::contiguous_range<const View> && std::ranges::sized_range<const View> &&
                       complex_number<std::ranges::range_value_t<View>>;

/// An element, or a complex number.
template <class T>
concept number = element<T> || complex_number<T>;

/// The enumerator of the type of an element or of a complex number.
template <number T>
inline constexpr element_type number_type_of = element_type::complex128;
template <element T>
inline constexpr element_type number_type_of<T> = type_of<T>;
template <complex_number T>
requires std::is_same_v<typename T::value_type, float>
inline constexpr element_type number_type_of<T> = element_type::complex64;

template <class View>
inline constexpr bool is_kept = false;
template <class X>
inline constexpr bool is_kept<kept<X>> = true;

template <class Range>
using element_of = std::ranges::range_value_t<Range>;

/// `stride` numbers in bytes; one that overflows becomes one that no vector of two numbers can have, and is refused as
/// such.
template <class T>
constexpr std::ptrdiff_t in_bytes(std::ptrdiff_t stride) {
  constexpr auto size = static_cast<std::ptrdiff_t>(sizeof(T));
  constexpr std::ptrdiff_t max_stride = std::numeric_limits<std::ptrdiff_t>::max() / size;
  if (stride > max_stride) return std::numeric_limits<std::ptrdiff_t>::max();
  return stride < -max_stride ? -std::numeric_limits<std::ptrdiff_t>::max() : stride * size;
}

template <class Range>
concept contiguous_view = std::ranges::contiguous_range<const Range> && std::ranges::sized_range<const Range> &&
    element<element_of<Range>>;

template <class View>
inline constexpr bool is_strided = false;
template <class T>
inline constexpr bool is_strided<strided<T>> = true;

template <class View>
struct view_element;
template <contiguous_view View>
struct view_element<View> {
  using type = element_of<View>;
};
template <class T>
struct view_element<strided<T>> {
  using type = T;
};
}  // namespace detail

/// A contiguous range of elements, or a strided view.
template <class View>
concept vector_view = detail::contiguous_view<View> || detail::is_strided<View>;

/// The element type of a view.
template <vector_view View>
using element_of_view = typename detail::view_element<View>::type;

namespace detail {
/// A vector of elements, or a contiguous range of complex numbers.
template <class View>
concept number_view = vector_view<View> || complex_view<View>;
template <number_view View>
struct view_number {
  using type = std::ranges::range_value_t<View>;
};
template <vector_view View>
struct view_number<View> {
  using type = element_of_view<View>;
};
template <class View>
using number_of_view = typename view_number<View>::type;
}  // namespace detail

/// A view whose element type is known at run time only.
template <element T>
constexpr any_vector to_any(const T* data, std::size_t n) {
  return {data, n, type_of<T>, static_cast<std::ptrdiff_t>(sizeof(T)), false};
}
template <element T>
constexpr any_vector to_any(const strided<T>& x) {
  return {x.data, x.n, type_of<T>, detail::in_bytes<T>(x.stride), false};
}
template <detail::contiguous_view View>
constexpr any_vector to_any(const View& x) {
  return to_any(std::ranges::data(x), static_cast<std::size_t>(std::ranges::size(x)));
}

/// Whether the elements follow each other in native byte order.
constexpr bool is_contiguous(const any_vector& x) {
  return is_known(x.type) && !x.swapped && (x.n <= 1 || x.stride == static_cast<std::ptrdiff_t>(size_of(x.type)));
}

namespace detail {
/// Whether `bytes` from `memory` on share any with an element of x. Gaps between elements do not count.
inline bool overlaps(const any_vector& x, const void* memory, std::size_t bytes) {
  if (x.n == 0 || !is_known(x.type)) return false;
  // The elements from the lowest address on: the i-th lies at first + i·step.
  const bool descends = x.stride < 0;
  const auto step = static_cast<std::uint64_t>(descends ? -(x.stride + 1) : x.stride) + (descends ? 1 : 0);
  const std::uint64_t size = size_of(x.type);
  std::uint64_t extent = 0;
  if (__builtin_mul_overflow(x.n - 1, step, &extent)) return false;
  const std::uint64_t first = reinterpret_cast<std::uintptr_t>(x.data) - (descends ? extent : 0);
  const std::uint64_t begin = reinterpret_cast<std::uintptr_t>(memory);
  if (begin + bytes <= first || begin >= first + extent + size) return false;
  // The first element that ends behind the beginning overlaps the memory, or none does.
  std::uint64_t i = 0;
  if (begin >= first + size) i = (begin - first - size) / step + 1;  // a step of 0 has returned above
  return i < x.n && first + i * step < begin + bytes;
}

/// The unsigned integer of so many bytes.
template <std::size_t bytes>
struct unsigned_of {
  using type = std::conditional_t<
      bytes == 1, std::uint8_t,
      std::conditional_t<bytes == 2, std::uint16_t, std::conditional_t<bytes == 4, std::uint32_t, std::uint64_t>>>;
};

/// The T whose bits are the low ones of `word`.
template <element T>
[[nodiscard]] constexpr T from_word(std::uint64_t word) {
  return std::bit_cast<T>(static_cast<typename unsigned_of<sizeof(T)>::type>(word));
}
template <element T>
[[nodiscard]] constexpr std::uint64_t to_word(T x) {
  return std::bit_cast<typename unsigned_of<sizeof(T)>::type>(x);
}
}  // namespace detail

/// A value of an element type that is known at run time: a result.
struct any_scalar {
  element_type type = element_type::float64;
  std::uint64_t bits = 0;  ///< in the low bytes

  /// The value as T, which must be the type.
  template <element T>
  [[nodiscard]] constexpr T as() const {
    return detail::from_word<T>(bits);
  }
  /// The value as a double: exact for every type but 64-bit integers, which are rounded.
  [[nodiscard]] constexpr double to_double() const {
    return with_element(type, [&]<class T>(T) { return static_cast<double>(as<T>()); });
  }
};

}  // namespace exactdot::inline v0_3

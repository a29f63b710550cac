// SPDX-License-Identifier: Apache-2.0
// The least and the greatest element of a vector by one read of it, and the index of the largest magnitude.
#pragma once

#include <exactdot/reductions.hpp>
#include <exactdot/requirements.hpp>

namespace exactdot::inline v0_3 {

/// What minmax returns.
template <element T>
struct extremes {
  T min, max;
  friend bool operator==(const extremes&, const extremes&) = default;
};

namespace detail {
/// The bits of both elements, and their lowest indices.
struct found_extremes {
  std::uint64_t least = 0, greatest = 0, index_of_least = 0, index_of_greatest = 0;
};
/// Whether the indices are asked for, which cost a vector in a GPU's memory two reads more.
enum class with_indices : bool { no, yes };
/// Reads a vector in host memory once; one in a GPU's memory once for each result. `caller`: for messages.
[[nodiscard]] found_extremes find_extremes(const any_vector& x, const options& options, with_indices indices,
                                           const char* caller);
/// The lowest index of an element with the largest magnitude.
[[nodiscard]] std::uint64_t index_of_magnitude(const found_extremes& found, element_type type);

template <class T>
[[nodiscard]] auto minmax_of(const any_vector& x, const options& options) {
  const found_extremes found = find_extremes(x, options, with_indices::no, "minmax");
  return extremes<T>{from_word<T>(found.least), from_word<T>(found.greatest)};
}

[[nodiscard]] inline std::uint64_t iamax_of(const any_vector& x, const options& options) {
  return index_of_magnitude(find_extremes(x, options, with_indices::yes, "iamax"), x.type);
}
}  // namespace detail

/// The least and the greatest element: the bits of min and of max. x is read from memory once, and compared twice;
/// in a GPU's memory it is read twice.
/// Takes a view, or a pointer to contiguous elements and their number. Throws errc::empty_input for n = 0.
template <class X>
[[nodiscard]] auto minmax(const X& x, const options& options = {}) {
  if constexpr (detail::check_view<X>()) {
    return detail::minmax_of<element_of_view<X>>(to_any(x), options);
  } else {
    return detail::refused{};
  }
}
template <class T>
[[nodiscard]] auto minmax(const T* x, std::size_t n, const options& options = {}) {
  if constexpr (detail::check_element<T>()) {
    return detail::minmax_of<T>(to_any(x, n), options);
  } else {
    return detail::refused{};
  }
}

/// The lowest index of an element with the largest magnitude, from 0 on; of the first NaN, if there is one, as of
/// argmax. BLAS counts from 1, and its reference takes no NaN for large. In a GPU's memory x is read four times.
/// Otherwise as minmax.
template <class X>
[[nodiscard]] std::size_t iamax(const X& x, const options& options = {}) {
  if constexpr (detail::check_view<X>()) {
    return detail::iamax_of(to_any(x), options);
  } else {
    return 0;
  }
}
template <class T>
[[nodiscard]] std::size_t iamax(const T* x, std::size_t n, const options& options = {}) {
  if constexpr (detail::check_element<T>()) {
    return detail::iamax_of(to_any(x, n), options);
  } else {
    return 0;
  }
}

}  // namespace exactdot::inline v0_3

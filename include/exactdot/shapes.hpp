// SPDX-License-Identifier: Apache-2.0
// Many vectors in one call: the rows or columns of a matrix, any axes of an array, segments of a vector, groups of
// elements by a key.
//
// Every result has the bits of the same call on its elements alone, in both modes, however many results there are
// and wherever they lie. docs/shapes.md explains the shapes.
#pragma once

#include <exactdot/requirements.hpp>

#include <cstddef>
#include <exactdot/views.hpp>
#include <span>

namespace exactdot::inline v0_3 {

/// `n` positions in an array, `stride` bytes apart. The stride may be negative; 0 repeats one position.
struct axis {
  std::size_t n = 0;
  std::ptrdiff_t stride = 0;
};

/// An array of any number of dimensions. There is one result per index of the axes `results`; the elements of each
/// lie along the axes `elements`. In both lists the last axis is the fastest. At most 64 axes in all.
struct any_grid {
  const void* data = nullptr;
  element_type type = element_type::float64;
  std::span<const axis> results, elements;
  bool swapped = false;     ///< as of any_vector
  bool conjugated = false;  ///< likewise
};

/// Where results go: one axis per axis of results, of the same length.
struct any_results {
  void* data = nullptr;
  element_type type = element_type::float64;
  std::span<const axis> axes;
  bool swapped = false;
  bool is_scratch = false;  ///< may be written though the call fails: nobody reads it then
  /// The value that is there is one more term of each result, so that it is added to and rounded once: sums and
  /// dots of groups. A group without elements keeps its bits.
  bool is_added_to = false;
};

/// Stretches of a vector: segment i holds the elements from offset i to before offset i + 1. There are `count` + 1
/// offsets, integers of any width, `stride` bytes apart; they never decrease. They need not begin at 0, nor end at the
/// vector's end.
struct any_offsets {
  const void* data = nullptr;
  std::size_t count = 0;  ///< of segments
  element_type type = element_type::int64;
  std::ptrdiff_t stride = sizeof(std::int64_t);
  bool swapped = false;  ///< the bytes in the other order; not in a GPU's memory
};

/// Groups of a vector's elements: element i belongs to the group that key i names, 0 to `groups` - 1, in any order.
/// The keys are integers of any width, `stride` bytes apart. A key out of range, such as -1, is an error, or its
/// element belongs to no group.
struct any_keys {
  const void* data = nullptr;
  std::size_t n = 0;
  element_type type = element_type::int64;
  std::ptrdiff_t stride = sizeof(std::int64_t);
  std::size_t groups = 0;
  bool skips_out_of_range = false;
  bool swapped = false;  ///< the bytes in the other order; not in a GPU's memory
};

/// The rows of a matrix of elements or complex numbers: m vectors of n elements. Element k of row i is
/// data[i·row_stride + k·stride]; strides count elements and may be negative, 0 or, for overlapping rows, below n.
template <detail::number T>
struct rows {
  const T* data;
  std::size_t m, n;
  std::ptrdiff_t row_stride, stride;

  using value_type = T;
  constexpr rows(const T* first, std::size_t row_count, std::size_t row_length)
      : rows(first, row_count, row_length, static_cast<std::ptrdiff_t>(row_length)) {}
  constexpr rows(const T* first, std::size_t row_count, std::size_t row_length, std::ptrdiff_t between_rows,
                 std::ptrdiff_t between_elements = 1)
      : data(first), m(row_count), n(row_length), row_stride(between_rows), stride(between_elements) {}
};

/// The columns of a matrix of m rows and n columns that is stored row by row: n vectors of m elements. (The rows of
/// one that is stored column by column, m by n with leading dimension ld, are columns{data, n, m, ld}.)
template <detail::number T>
struct columns {
  const T* data;
  std::size_t m, n;
  std::ptrdiff_t row_stride;

  using value_type = T;
  constexpr columns(const T* first, std::size_t row_count, std::size_t row_length)
      : columns(first, row_count, row_length, static_cast<std::ptrdiff_t>(row_length)) {}
  constexpr columns(const T* first, std::size_t row_count, std::size_t row_length, std::ptrdiff_t between_rows)
      : data(first), m(row_count), n(row_length), row_stride(between_rows) {}
};

/// One vector as the partner of every row or column: rows times repeated is a matrix-vector product.
template <detail::number T>
struct repeated {
  const T* data = nullptr;
  std::size_t n = 0;
  std::ptrdiff_t stride = 1;

  using value_type = T;
};
template <class T>
repeated(const T*, std::size_t) -> repeated<std::remove_cv_t<T>>;
template <class T>
repeated(const T*, std::size_t, std::ptrdiff_t) -> repeated<std::remove_cv_t<T>>;

/// Segments of a vector between offsets, of a contiguous range of 32- or 64-bit integers; see any_offsets. Without
/// an offset there is no segment.
template <detail::number_view X, integer_element Offset>
struct segments {
  X x;
  std::span<const Offset> offsets;

  using value_type = detail::number_of_view<X>;
};
namespace detail {
/// A view that refers to the elements of x, not a copy of them.
template <class X>
struct reference_to {
  using type = X;
};
template <class X>
requires contiguous_view<X> || complex_view<X>
struct reference_to<X> {
  using type = std::span<const element_of<X>>;
};
}  // namespace detail
template <class X, class Offsets>
segments(const X&, const Offsets&)
    -> segments<typename detail::reference_to<X>::type, std::ranges::range_value_t<Offsets>>;

/// The elements of a vector in `count` groups: element i belongs to group keys[i], of a contiguous range of integers
/// of any width; see any_keys.
template <detail::number_view X, integer_element Key>
struct groups {
  X x;
  std::span<const Key> keys;
  std::size_t count;
  bool skips_out_of_range = false;

  using value_type = detail::number_of_view<X>;
};
template <class X, class Keys>
groups(const X&, const Keys&, std::size_t, bool = false)
    -> groups<typename detail::reference_to<X>::type, std::ranges::range_value_t<Keys>>;

namespace detail {

/// A typed shape as a grid with one result axis and one element axis.
struct line_grid {
  const void* data;
  element_type type;
  axis results, elements;

  [[nodiscard]] any_grid view() const { return {data, type, {&results, 1}, {&elements, 1}, false}; }
};

template <class T>
constexpr line_grid to_lines(const rows<T>& x) {
  return {x.data, number_type_of<T>, {x.m, in_bytes<T>(x.row_stride)}, {x.n, in_bytes<T>(x.stride)}};
}
template <class T>
constexpr line_grid to_lines(const columns<T>& x) {
  return {x.data, number_type_of<T>, {x.n, in_bytes<T>(1)}, {x.m, in_bytes<T>(x.row_stride)}};
}
template <class T>
constexpr line_grid to_lines(const repeated<T>& x, std::size_t results) {
  return {x.data, number_type_of<T>, {results, 0}, {x.n, in_bytes<T>(x.stride)}};
}

template <class View>
concept matrix_view = requires(const View& x) {
  {to_lines(x)};
};
template <class View>
inline constexpr bool is_repeated = false;
template <class T>
inline constexpr bool is_repeated<repeated<T>> = true;
template <class View>
inline constexpr bool is_segments = false;
template <class X, class Offset>
inline constexpr bool is_segments<segments<X, Offset>> = true;
template <class View>
inline constexpr bool is_groups = false;
template <class X, class Key>
inline constexpr bool is_groups<groups<X, Key>> = true;

}  // namespace detail

/// Rows, columns, segments or groups.
template <class View>
concept many_vectors = detail::matrix_view<View> || detail::is_segments<View> || detail::is_groups<View>;

namespace detail {
template <class View>
inline constexpr bool is_kept_shape = false;
template <many_vectors X>
inline constexpr bool is_kept_shape<kept<X>> = true;
}  // namespace detail

/// The same, or of these some elements (missing.hpp).
template <class View>
concept reducible_vectors = many_vectors<View> || detail::is_kept_shape<View>;

/// What results are written to: a contiguous range of elements, one for each result.
template <class Range>
concept result_range = std::ranges::contiguous_range<Range> && std::ranges::sized_range<Range> &&
    detail::number<std::ranges::range_value_t<Range>> &&
    !std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<Range>>>;

/// Results that are added to: sum(groups{x, keys, count}, added_to{out}) stores out[i] plus the elements of group
/// i, rounded once. Of sums and dots of groups; a group without elements keeps its bits.
template <detail::number R>
struct added_to : std::span<R> {
  template <result_range Out>
  explicit added_to(Out&& out) : std::span<R>(std::ranges::data(out), std::ranges::size(out)) {}
};
template <result_range Out>
added_to(Out&&) -> added_to<std::ranges::range_value_t<Out>>;

namespace detail {
template <class Out>
inline constexpr bool is_added_to = false;
template <class R>
inline constexpr bool is_added_to<added_to<R>> = true;
}  // namespace detail

}  // namespace exactdot::inline v0_3

// Lines: the vectors of a call with one result each, as kernels read them; see batch_kernel.cuh.
#pragma once

#include <cuda/destination.hpp>
#include <cuda/error_bound.hpp>

namespace exactdot::inline v0_3::cuda_engine {

/// The inputs: `first` is line 0; `next_a` and `next_b` further begins the next one: elements or, in layout `any`,
/// bytes. Strides, of elements too, may be negative or 0. Contiguous lines are strided ones.
template <class T, input_layout layout = input_layout::strided>
struct line_operands {
  operands<T, layout> first;
  std::ptrdiff_t next_a = 0, next_b = 0;
  std::size_t count = 0;  ///< of lines

  [[nodiscard]] EXACTDOT_CORE operands<T, layout> line(std::size_t i) const {
    const auto index = static_cast<std::ptrdiff_t>(i);
    operands<T, layout> one = first;
    one.a += index * next_a;
    if (one.b != nullptr) one.b += index * next_b;
    return one;
  }
};
/// Lines in layout `any` for kernels that are not compiled for several axes of elements.
template <class T>
struct one_stride_lines {
  operands<T, input_layout::any> first;
  std::ptrdiff_t next_a = 0, next_b = 0;
  std::size_t count = 0;

  [[nodiscard]] EXACTDOT_CORE operands<T, input_layout::any> line(std::size_t i) const {
    const auto index = static_cast<std::ptrdiff_t>(i);
    operands<T, input_layout::any> one = first;
    one.a.data += index * next_a;
    one.b.data += index * next_b;
    return one;
  }
};
/// A line refers to the axes, which all lines share. Strides of `first` do not count if there are axes.
template <class T>
struct line_operands<T, input_layout::any> : one_stride_lines<T> {
  element_axes axes;

  [[nodiscard]] EXACTDOT_CORE operands<T, input_layout::axes> line(std::size_t i) const {
    return {one_stride_lines<T>::line(i), axes.count == 0 ? nullptr : &axes};
  }
};

/// Whether lines of this layout have elements of any type. In layout `converted` they are contiguous and of one
/// type, which can_convert_lines says.
template <input_layout layout>
inline constexpr bool converts = layout == input_layout::any || layout == input_layout::converted;

/// Of a kernel that loads lines in this layout.
template <class T, input_layout layout>
using lines_of = line_operands<T, converts<layout> ? input_layout::any : input_layout::strided>;

/// Where the results go.
struct line_results {
  char* first = nullptr;    ///< device memory; null: in host memory, of one line
  std::ptrdiff_t next = 0;  ///< in bytes
  destination to = {};      ///< of each, but for its value

  [[nodiscard]] EXACTDOT_CORE char* at(std::size_t i) const {
    return first + static_cast<std::ptrdiff_t>(i) * next;
  }
};

/// How many terms of a line of n elements a lane may add in its last turns, beside those that all lanes add.
EXACTDOT_CORE int last_terms_of_line(int lanes, int in_flight) {
  constexpr int max_singles = 6;  // elements that are in no pack of 16 bytes
  return in_flight + (max_singles + lanes - 1) / lanes - 1;
}

/// The bound of a line's traced sum, by so many lanes. A line has the loops of a grid of one block of so many
/// threads (terms_of_accumulator); only, few lanes take more than one of the single elements each.
EXACTDOT_CORE error_bound bound_of_line(std::size_t n, int lanes, int in_flight, int accumulators,
                                        bool products_of_doubles) {
  const sum_shape shape{n, 1, static_cast<unsigned>(lanes), last_terms_of_line(lanes, in_flight), accumulators};
  return bound_of(shape, summation::traced, products_of_doubles);
}

}  // namespace exactdot::inline v0_3::cuda_engine

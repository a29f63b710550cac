// Lines: the vectors of a call with one result each, as kernels read them; see shape/lines.cuh.
#pragma once

#include <cuda/core/destination.hpp>
#include <cuda/sum/error_bound.hpp>

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
/// type, which the router says.
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

// Where the kernels of lines find the vector of result i: at a fixed distance from the one before it, with a fixed
// length (rows of a grid); or between two offsets (segments). See shape/segments.cuh and shape/split_lines.cuh.
//
// Offsets are read where they are used, so nothing of their size is stored; each is checked there, too: a kernel
// must not read past the end of a vector, whatever the offsets are.

/// An array of offsets in device memory.
struct offset_array {
  const char* data = nullptr;  ///< null: there are none
  std::ptrdiff_t stride = 0;   ///< in bytes
  bool is_wide = true;         ///< of 64 bits, else of 32
  bool is_signed = true;

  /// A negative one is a very large number.
  [[nodiscard]] EXACTDOT_CORE std::uint64_t at(std::size_t i) const {
    const char* const from = data + static_cast<std::ptrdiff_t>(i) * stride;
    if (is_wide) return *reinterpret_cast<const std::uint64_t*>(from);
    const std::uint32_t word = *reinterpret_cast<const std::uint32_t*>(from);
    return is_signed ? static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(word)))
                     : word;
  }
};

/// Elements of a line.
struct line_span {
  std::uint64_t begin = 0;  ///< of segments, in the vector
  std::uint64_t n = 0;
  bool is_valid = true;  ///< its offsets neither decrease nor pass the end
};

/// Lines that follow each other, or segments of the first one.
template <class Lines>
struct spans_of_lines {
  Lines lines;  ///< of segments `first` is the vector, and only `count` is used besides
  offset_array offsets;
  std::uint64_t length = 0;  ///< of segments that of the vector, else of each line; in elements

  [[nodiscard]] EXACTDOT_CORE line_span span(std::size_t i) const {
    if (offsets.data == nullptr) return {0, length, true};
    const std::uint64_t begin = offsets.at(i), end = offsets.at(i + 1);
    if (begin > end || end > length) return {0, 0, false};
    return {begin, end - begin, true};
  }
};

template <class T, input_layout layout>
struct line_source : spans_of_lines<lines_of<T, layout>> {
  using spans_of_lines<lines_of<T, layout>>::lines;
  using spans_of_lines<lines_of<T, layout>>::offsets;

  /// log2 of the addends that an element makes.
  [[nodiscard]] EXACTDOT_CORE int log2_parts() const {
    if constexpr (converts<layout>) {
      return lines.first.log2_parts_a + lines.first.log2_parts_b;
    } else {
      return 0;
    }
  }

  /// `n` elements of line i, from element `first` of it on. `begin`: of its span.
  [[nodiscard]] EXACTDOT_CORE auto piece(std::size_t i, std::uint64_t begin, std::uint64_t first,
                                         std::uint64_t n) const {
    auto one = lines.line(offsets.data == nullptr ? i : 0);
    if constexpr (converts<layout>) {
      one.skip(begin + first);
    } else {
      const auto skipped = static_cast<std::ptrdiff_t>(begin + first);
      one.a += skipped * one.stride_a;
      if (one.b != nullptr) one.b += skipped * one.stride_b;
    }
    one.n = static_cast<std::size_t>(n) << log2_parts();
    return one;
  }
};

/// What a launch on lines computes of each, beside the sums of its terms.
struct line_request {
  std::uint64_t ddof = 0;     ///< of a variance
  std::uint64_t of_none = 0;  ///< the result of no elements
  std::uint64_t of_bad = 0;   ///< that of a segment whose offsets are wrong
};

// States of lines on a GPU: where the kernels of work/line_states.cuh add each line's sum.

/// A sum of each state, in device memory. Strides count words.
struct line_states {
  std::int64_t* first = nullptr;   ///< the words of line 0's sum
  std::ptrdiff_t next = 0;         ///< between lines
  core::state_layout layout = {};  ///< of the sum, on the limbs of the carrier's state
  int counts = 4;                  ///< words after the limbs: 4, or 1 for the number of states
  /// From the sum to the number of elements, which grows; 0: it has none, or another launch adds it.
  std::ptrdiff_t to_count = 0;
  std::int64_t elements = 0;  ///< of a line; those of a segment follow from its offsets

  [[nodiscard]] EXACTDOT_CORE std::int64_t* at(std::size_t i) const {
    return first + static_cast<std::ptrdiff_t>(i) * next;
  }
};

}  // namespace exactdot::inline v0_3::cuda_engine

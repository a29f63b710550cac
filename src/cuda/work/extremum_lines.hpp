// Lines in a search for extreme elements, as kernels read them, and where the results go; see
// shape/extremum_lines.cuh.
#pragma once

#include <cuda/core/device_state.hpp>
#include <cuda/core/element_axes.hpp>
#include <cuda/core/lines.hpp>
#include <cuda/work/extremum_rank.hpp>

namespace exactdot::inline v0_3::cuda_engine {

/// One line's elements: the first, and how many.
struct element_line {
  const char* data;
  std::size_t n;
  std::size_t begin = 0;  ///< where in its line it begins
};

/// Lines of equal length, of elements that are aligned to their size. Strides in bytes, negative and 0 too.
struct element_lines {
  const char* first = nullptr;
  std::ptrdiff_t stride = 0;  ///< between elements
  std::ptrdiff_t next = 0;    ///< between lines
  std::size_t n = 0;          ///< elements of a line, at least 1
  std::size_t count = 0;      ///< of lines
  bool swapped = false;       ///< the bytes of elements
  element_axes axes = {};     ///< those of a line that no one stride describes; then `stride` does not count

  [[nodiscard]] EXACTDOT_CORE element_line line(std::size_t i) const {
    return {first + static_cast<std::ptrdiff_t>(i) * next, n};
  }
  /// Elements `from` to before `to` of line i.
  [[nodiscard]] EXACTDOT_CORE element_line part(std::size_t i, std::size_t from, std::size_t to) const {
    element_line one = line(i);
    one.n = to - from;
    if (axes.count != 0) {
      one.begin = from;
    } else {
      one.data += static_cast<std::ptrdiff_t>(from) * stride;
    }
    return one;
  }
};

/// A vector of elements that are one stride apart, and how many segments or rows it has.
struct element_vector {
  const char* first = nullptr;
  std::ptrdiff_t stride = 0;
  std::size_t count = 0;
  bool swapped = false;
  std::ptrdiff_t next = 0;  ///< between rows, in elements
};

/// Segments, or rows; see line_source.
struct element_source : spans_of_lines<element_vector> {
  [[nodiscard]] EXACTDOT_CORE line_span span(std::size_t i) const {
    line_span found = spans_of_lines<element_vector>::span(i);
    if (offsets.data == nullptr) found.begin = i * static_cast<std::uint64_t>(lines.next);
    return found;
  }
  [[nodiscard]] static constexpr int log2_parts() { return 0; }
  [[nodiscard]] EXACTDOT_CORE element_line piece(std::size_t, std::uint64_t begin, std::uint64_t first,
                                                 std::uint64_t n) const {
    return {lines.first + static_cast<std::ptrdiff_t>(begin + first) * lines.stride, static_cast<std::size_t>(n),
            static_cast<std::size_t>(first)};
  }
};

/// What is searched for.
struct extremum_request {
  rank_rule rule;
  std::uint64_t of_none = 0;       ///< the bits of the result of no elements, if it is an element
  wide_unsigned* empty = nullptr;  ///< notes the lowest line without elements
};

/// A result is an element, or an index as a 64-bit integer.
struct extremum_results {
  char* first = nullptr;  ///< device memory
  std::ptrdiff_t next = 0;
  bool gives_index = false;

  [[nodiscard]] EXACTDOT_CORE char* at(std::size_t i) const {
    return first + static_cast<std::ptrdiff_t>(i) * next;
  }
};

}  // namespace exactdot::inline v0_3::cuda_engine

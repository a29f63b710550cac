// Lines in a search for extreme elements, as kernels read them, and where the results go; see
// line_extremum_kernel.cuh.
#pragma once

#include <cstddef>
#include <cuda/element_axes.hpp>
#include <exactdot/core/config.hpp>

namespace exactdot::inline v0_3::cuda_engine {

/// One line's elements: the first, and how many.
struct element_line {
  const char* data;
  std::size_t n;
  std::size_t begin = 0;  ///< along the axes, if there are some
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

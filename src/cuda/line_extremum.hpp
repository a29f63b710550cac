// Lines in a search for extreme elements, as kernels read them, and where the results go; see
// line_extremum_kernel.cuh.
#pragma once

#include <cstddef>
#include <exactdot/core/config.hpp>

namespace exactdot::cuda_engine {

/// One line's elements: the first, and how many.
struct element_line {
  const char* data;
  std::size_t n;
};

/// Lines of equal length, of elements that are aligned to their size. Strides in bytes, negative and 0 too.
struct element_lines {
  const char* first = nullptr;
  std::ptrdiff_t stride = 0;  ///< between elements
  std::ptrdiff_t next = 0;    ///< between lines
  std::size_t n = 0;          ///< elements of a line, at least 1
  std::size_t count = 0;      ///< of lines
  bool swapped = false;       ///< the bytes of elements

  [[nodiscard]] EXACTDOT_CORE element_line line(std::size_t i) const {
    return {first + static_cast<std::ptrdiff_t>(i) * next, n};
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

}  // namespace exactdot::cuda_engine

// States of lines on a GPU: where the kernels of line_state_kernel.cuh add each line's sum.
#pragma once

#include <cuda/line_operands.hpp>

namespace exactdot::inline v0_3::cuda_engine {

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

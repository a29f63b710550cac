// Segments as kernels read them: the offsets, and where to note those without a result. See segment_work_kernel.cuh.
#pragma once

#include <cuda/device_state.hpp>
#include <cuda/line_source.hpp>

namespace exactdot::inline v0_3::cuda_engine {

/// The segments of a vector of `length` elements.
struct segment_spans {
  offset_array offsets;
  std::uint64_t length = 0;
  std::size_t count = 0;  ///< of segments

  [[nodiscard]] EXACTDOT_CORE line_span span(std::size_t i) const {
    const std::uint64_t begin = offsets.at(i), end = offsets.at(i + 1);
    if (begin > end || end > length) return {0, 0, false};
    return {begin, end - begin, true};
  }
};

/// Where kernels note the lowest segment without a result, as note_bad_segment does.
struct segment_notes {
  wide_unsigned* bad = nullptr;    ///< its offsets are wrong
  wide_unsigned* empty = nullptr;  ///< it is empty. Null: that is no error
};

}  // namespace exactdot::inline v0_3::cuda_engine

// The checks of a call's offsets, before anything is written: one read of them.
#pragma once

#include <cuda/core/kernel.cuh>
#include <cuda/core/lines.hpp>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// Notes the lowest segment whose offsets decrease or pass the end of `length` elements, and the lowest that is
/// empty. Null: nothing to note.
__global__ void check_offsets_kernel(const __grid_constant__ offset_array offsets, std::size_t count,
                                     std::uint64_t length, wide_unsigned* bad, wide_unsigned* empty) {
  begin_kernel(count);
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += threads) {
    const std::uint64_t begin = offsets.at(i), end = offsets.at(i + 1);
    if (bad != nullptr && (begin > end || end > length)) note_lowest(bad, i);
    if (empty != nullptr && begin == end) note_lowest(empty, i);
  }
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine

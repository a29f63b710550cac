// The check of a call's offsets, before anything is written: one read of them.
#pragma once

#include <cuda/dependent_launch.cuh>
#include <cuda/line_source.hpp>

namespace exactdot::cuda_engine {
namespace {

/// Notes the lowest bad segment: the status is the complement of its number, which never decreases.
__device__ __forceinline__ void note_bad_segment(wide_unsigned* status, std::uint64_t segment) {
  atomicMax(status, ~wide_unsigned{segment});
}

/// Notes the segments whose offsets decrease or pass the end of `length` elements.
[[maybe_unused]] __global__ void check_offsets_kernel(const __grid_constant__ offset_array offsets,
                                                      std::size_t count, std::uint64_t length,
                                                      wide_unsigned* status) {
  begin_kernel(count);
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += threads) {
    const std::uint64_t begin = offsets.at(i), end = offsets.at(i + 1);
    if (begin > end || end > length) note_bad_segment(status, i);
  }
}

}  // namespace
}  // namespace exactdot::cuda_engine

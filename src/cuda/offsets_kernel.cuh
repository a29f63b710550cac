// The check of a call's offsets, before anything is written: one read of them.
#pragma once

#include <cuda/dependent_launch.cuh>
#include <cuda/segment_spans.hpp>

namespace exactdot::inline v0_3::cuda_engine {
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

/// Notes the lowest segment that is empty, before anything is written.
[[maybe_unused]] __global__ void check_no_segment_is_empty(const __grid_constant__ segment_spans in,
                                                           wide_unsigned* empty) {
  begin_kernel(in.count);
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < in.count; i += threads) {
    if (in.offsets.at(i) == in.offsets.at(i + 1)) note_bad_segment(empty, i);
  }
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine

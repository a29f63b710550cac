// The keys of rows, before and after they are sorted: keys of any type as numbers of 32 bits, each with its row;
// and where each group's rows begin in the sorted list. Keys out of range come last, if they are skipped. Cost:
// a read of the keys, a write of 8 bytes and a read of 4 a row, beside the sort's.
#pragma once

#include <cuda/core/kernel.cuh>
#include <cuda/group/rows.hpp>
#include <cuda/group/source.cuh>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// What stands for keys out of range: one more group; or, where they are errors, any group, which may save a pass.
EXACTDOT_CORE unsigned key_of_outside(const group_input& in) {
  return in.skips_out_of_range || in.groups == 0 ? in.groups : in.groups - 1;
}

/// keys[0] and rows[0]: four of each thread at a time.
__global__ void __launch_bounds__(256)
    row_key_kernel(const __grid_constant__ group_input in, const __grid_constant__ row_memory to) {
  begin_kernel(in.n);
  group_memory errors;
  errors.status = &to.status->of_keys;
  const std::size_t packs = (in.n + group_pack - 1) / group_pack, stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t pack = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; pack < packs; pack += stride) {
    const std::size_t i = pack * group_pack, left = in.n - i;
    const auto count = static_cast<unsigned>(left < group_pack ? left : group_pack);
    unsigned group[group_pack];
    load_keys(in, errors, i, count, group);
    element_pack<unsigned> keys, rows;
#pragma unroll
    for (unsigned k = 0; k < group_pack; ++k) {
      keys.element[k] = group[k] == no_group ? key_of_outside(in) : group[k];
      rows.element[k] = static_cast<unsigned>(i) + k;
    }
    if (count == group_pack) {
      *reinterpret_cast<element_pack<unsigned>*>(to.keys[0] + i) = keys;
      *reinterpret_cast<element_pack<unsigned>*>(to.rows[0] + i) = rows;
    } else {
      for (unsigned k = 0; k < count; ++k) to.keys[0][i + k] = keys.element[k], to.rows[0][i + k] = rows.element[k];
    }
  }
}

/// Numbers first[begin] to first[end - 1] that are equal.
struct equal_firsts {
  unsigned begin, end, value;
};

/// first[] of n sorted keys. Gaps between keys are filled by their thread, long ones by the block.
__global__ void __launch_bounds__(256)
    first_row_kernel(const unsigned* keys, unsigned n, unsigned groups, const __grid_constant__ row_memory to,
                     wide_unsigned* first_bad_key) {
  constexpr unsigned max_of_thread = 32;
  __shared__ equal_firsts gaps[256];
  __shared__ unsigned count;
  begin_kernel(n);
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    const wide_unsigned bad_key = to.status->of_keys.bad_key;
    if (bad_key != 0) atomicMax(first_bad_key, bad_key);
  }
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t base = std::size_t{blockIdx.x} * blockDim.x; base <= n; base += stride) {
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    const std::size_t i = base + threadIdx.x;
    if (i <= n) {
      const unsigned begin = i == 0 ? 0 : keys[i - 1] + 1, end = (i == n ? groups : keys[i]) + 1;
      const auto value = static_cast<unsigned>(i);
      if (begin < end && end - begin > max_of_thread) {
        gaps[atomicAdd(&count, 1U)] = {begin, end, value};
      } else {
        for (unsigned group = begin; group < end; ++group) to.first[group] = value;
      }
    }
    __syncthreads();
    for (unsigned gap = 0; gap < count; ++gap) {
      const equal_firsts equal = gaps[gap];
      for (std::size_t group = equal.begin + std::size_t{threadIdx.x}; group < equal.end; group += blockDim.x) {
        to.first[group] = equal.value;
      }
    }
    __syncthreads();
  }
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine

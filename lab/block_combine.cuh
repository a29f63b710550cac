// Block reduction, and reduction of any number of values by one block; shared by the upper rungs.
//
// Uses shuffles as in rung shuffle_block: one barrier per block. The order, and so the bits, depend only on the
// block size. V is a number or a struct with its own shuffle_down and operator.
#pragma once

#include <lab/rung.hpp>

namespace exactdot::lab {
namespace {

template <class T>
__device__ T shuffle_down(T value, unsigned distance) {
  return __shfl_down_sync(0xffffffffu, value, distance);
}

template <class Op, class V>
__device__ V fold_warp(V value) {
  for (unsigned distance = 16; distance > 0; distance /= 2)
    value = Op::combine(value, shuffle_down(value, distance));
  return value;
}

/// Combines the values of all threads of the block; valid in thread 0 only. Called by all threads of a block of
/// whole warps, with a barrier between two calls.
template <class Op, class V>
__device__ V combine_block(V value) {
  __shared__ V warp_values[32];
  value = fold_warp<Op>(value);
  if (threadIdx.x % 32 == 0) warp_values[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x >= 32) return value;
  V warp_value = Op::template identity<V>;
  if (threadIdx.x < blockDim.x / 32) warp_value = warp_values[threadIdx.x];
  return fold_warp<Op>(warp_value);
}

/// Combines `count` values by one block; valid in thread 0 only. Same conditions as combine_block.
template <class Op, class V>
__device__ V combine_all(const V* values, unsigned count) {
  V value = Op::template identity<V>;
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x) value = Op::combine(value, values[i]);
  return combine_block<Op>(value);
}

/// Second launch of the two-launch rungs: one block of whole warps.
template <class Op, class V>
__global__ void combine_partials(const V* partials, unsigned count, V* out) {
  const V total = combine_all<Op>(partials, count);
  if (threadIdx.x == 0) *out = total;
}

/// Roundings of combine_all over one value per block of the grid, by config.block threads.
constexpr std::uint64_t combine_all_roundings(const launch_config& config) {
  return (config.grid + config.block - 1) / config.block + 10;
}

}  // namespace
}  // namespace exactdot::lab

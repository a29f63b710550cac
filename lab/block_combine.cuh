// What the upper rungs take for granted: a block folds its values into one, and one block folds any number of them.
//
// By shuffles, as rung shuffle_block does it: one barrier a block. The order is fixed by the block's size alone, so
// the bits are too. V may be a number or a struct with its own shuffle_down and operator.
#pragma once

#include <lab/rung.hpp>

namespace exactdot::lab {
namespace {

template <class T>
__device__ T shuffle_down(T mine, unsigned distance) {
  return __shfl_down_sync(0xffffffffu, mine, distance);
}

template <class Op, class V>
__device__ V fold_warp(V mine) {
  for (unsigned distance = 16; distance > 0; distance /= 2) mine = Op::combine(mine, shuffle_down(mine, distance));
  return mine;
}

/// The combination of every thread's value, for thread 0; the others get something. All threads of the block must
/// call it, and wait at a barrier before they call it again. The block must be made of whole warps.
template <class Op, class V>
__device__ V combine_block(V mine) {
  __shared__ V of_warp[32];
  mine = fold_warp<Op>(mine);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = mine;
  __syncthreads();
  if (threadIdx.x >= 32) return mine;
  V other = Op::template identity<V>;
  if (threadIdx.x < blockDim.x / 32) other = of_warp[threadIdx.x];
  return fold_warp<Op>(other);
}

/// One block combines `count` values; thread 0 gets the result, as above.
template <class Op, class V>
__device__ V combine_all(const V* values, unsigned count) {
  V mine = Op::template identity<V>;
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x) mine = Op::combine(mine, values[i]);
  return combine_block<Op>(mine);
}

/// Phase 2 of the rungs with two launches: one block of any size of whole warps.
template <class Op, class V>
__global__ void combine_partials(const V* partials, unsigned count, V* out) {
  const V total = combine_all<Op>(partials, count);
  if (threadIdx.x == 0) *out = total;
}

/// Roundings of combine_all over the grid's values, by a block of s.block threads.
constexpr std::uint64_t combine_all_roundings(const shape& s) { return (s.grid + s.block - 1) / s.block + 10; }

}  // namespace
}  // namespace exactdot::lab

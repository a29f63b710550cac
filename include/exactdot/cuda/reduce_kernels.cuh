// SPDX-License-Identifier: Apache-2.0
// The kernels of cuda::reduce (reduce.cuh): any callable in order v1 (exactdot/order_v1.hpp).
//
// combine_tiles: each block reduces 2^k consecutive tiles, the last block the rest, with one thread a lane. A
// thread combines the 16 values of its lane, the block folds the lanes by halves in shared memory, and thread 0
// combines the tiles in a binary tree. combine_nodes: one block combines the blocks' results as the rest of the
// tree. CUDA C++ without calls of the runtime: compiles for exactdot::simt too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exactdot/order_v1.hpp>

namespace exactdot::inline v0_3::cuda::detail {

inline constexpr std::size_t max_reduce_blocks = 1024;

/// A launch of combine_tiles.
struct reduce_grid {
  std::size_t tiles_per_block;  ///< a power of two
  unsigned blocks;
};

template <class V>
constexpr reduce_grid reduce_grid_for(std::size_t n) {
  constexpr std::size_t tile = order_v1<V>::tile;
  const std::size_t tiles = n / tile + (n % tile != 0);
  std::size_t per_block = 1;
  while ((tiles + per_block - 1) / per_block > max_reduce_blocks) per_block *= 2;
  return {per_block, static_cast<unsigned>((tiles + per_block - 1) / per_block)};
}

/// Memory for values whose type may have a constructor, which shared memory does not call.
template <class V, std::size_t count>
struct alignas(16) shared_values {
  unsigned char bytes[count * sizeof(V)];
  __device__ V* first() { return reinterpret_cast<V*>(bytes); }
};

/// The values of a thread's lane in a tile of `count` elements from x on.
template <class V, class T, class Op>
__device__ V combine_lane(const T* x, std::size_t count, const Op& op, V result) {
  using order = order_v1<V>;
  const std::size_t lane = threadIdx.x;
  if (count == order::tile) {
    T value[order::stripes];
#pragma unroll
    for (int k = 0; k < static_cast<int>(order::stripes); ++k) value[k] = x[k * order::lanes + lane];
#pragma unroll
    for (int k = 0; k < static_cast<int>(order::stripes); ++k) result = op(result, static_cast<V>(value[k]));
    return result;
  }
  for (std::size_t i = lane; i < count; i += order::lanes) result = op(result, static_cast<V>(x[i]));
  return result;
}

/// node[blockIdx.x] = the subtree of this block's tiles. One thread a lane.
template <class V, class T, class Op>
__global__ void __launch_bounds__(order_v1<V>::lanes)
    combine_tiles(const T* x, std::size_t n, std::size_t tiles_per_block, Op op, V identity, V* node) {
  constexpr std::size_t lanes = order_v1<V>::lanes, tile = order_v1<V>::tile;
  __shared__ shared_values<V, lanes> lane_storage;
  __shared__ shared_values<V, 64> waiting_storage;  // one result for each level that waits for its neighbour
  V* const lane = lane_storage.first();
  V* const waiting = waiting_storage.first();
  const std::size_t first = blockIdx.x * tiles_per_block * tile;
  const std::size_t end = first + tiles_per_block * tile < n ? first + tiles_per_block * tile : n;
  std::uint64_t count = 0;
  for (std::size_t i = first; i < end; i += tile) {
    lane[threadIdx.x] = combine_lane<V>(x + i, end - i < tile ? end - i : tile, op, identity);
    __syncthreads();
    for (unsigned half = lanes / 2; half > 0; half /= 2) {
      if (threadIdx.x < half) lane[threadIdx.x] = op(lane[threadIdx.x], lane[threadIdx.x + half]);
      __syncthreads();
    }
    if (threadIdx.x != 0) continue;
    V result = lane[0];
    int level = 0;
    for (std::uint64_t index = count; (index & 1) != 0; index >>= 1) result = op(waiting[level++], result);
    waiting[level] = result;
    ++count;
  }
  if (threadIdx.x != 0) return;
  int level = 0;
  while ((count >> level & 1) == 0) ++level;
  V result = waiting[level];
  while ((count >> ++level) != 0) {
    if ((count >> level & 1) != 0) result = op(waiting[level], result);
  }
  node[blockIdx.x] = result;
}

/// *result = the tree of `count` nodes, which are overwritten; of none, the identity. One block.
template <class V, class Op>
__global__ void combine_nodes(V* node, unsigned count, Op op, V identity, V* result) {
  for (unsigned step = 1; step < count; step *= 2) {
    for (unsigned i = 2 * step * threadIdx.x; i + step < count; i += 2 * step * blockDim.x) {
      node[i] = op(node[i], node[i + step]);
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) *result = count == 0 ? identity : node[0];
}

}  // namespace exactdot::inline v0_3::cuda::detail

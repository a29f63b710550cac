// Mode fast on a GPU: order v1 (core/order_v1.hpp), a warp a tile.
//
// A row is one 16-byte load of each lane, so a lane of a warp holds the neighbouring lanes of the tile; the fold by
// halves is shuffles first, then within the lane. A block's warps take neighbouring tiles, or neighbouring subtrees
// of 2^k tiles, and the block adds them as the tree does: a node. The block that comes last adds the nodes.
#pragma once

#include <core/order_v1.hpp>
#include <core/rounding.hpp>
#include <cuda/load.cuh>
#include <cuda/state.hpp>

namespace exactdot::cuda_engine {
namespace {

__device__ __forceinline__ float multiply_add(float a, float b, float c) { return __fmaf_rn(a, b, c); }
__device__ __forceinline__ double multiply_add(double a, double b, double c) { return __fma_rn(a, b, c); }

/// Nodes of one level of the tree, one a lane or a thread: x = the sum of `size` neighbours in the tree's order, in
/// every thread whose index is a multiple of `size`. `count`: nodes there are; one without a right neighbour stays.
template <int size, class T>
__device__ __forceinline__ T add_neighbours(T x, unsigned index, unsigned count) {
#pragma unroll
  for (unsigned step = 1; step < size; step *= 2) {
    const T right = __shfl_down_sync(0xffffffffU, x, step);
    if (index + step < count) x = x + right;
  }
  return x;
}

/// The lanes of a tile, folded by halves; in lane 0.
template <class T, int count>
__device__ __forceinline__ T fold(T (&sum)[count]) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2) {
#pragma unroll
    for (int j = 0; j < count; ++j) sum[j] = sum[j] + __shfl_down_sync(0xffffffffU, sum[j], step);
  }
#pragma unroll
  for (int half = count / 2; half > 0; half /= 2) {
#pragma unroll
    for (int j = 0; j < half; ++j) sum[j] = sum[j] + sum[j + half];
  }
  return sum[0];
}

/// A whole tile, its rows aligned to 16 bytes or not; in lane 0.
template <bool aligned, class T>
__device__ __forceinline__ T whole_tile(const T* a, const T* b) {
  using packed = pack<T>;
  constexpr int rows_at_once = 8;
  constexpr int rows = core::order_v1<T>::rows;
  T sum[packed::count] = {};
  const unsigned lane = threadIdx.x % 32;
#pragma unroll
  for (int start = 0; start < rows; start += rows_at_once) {
    packed x[rows_at_once], y[rows_at_once];
#pragma unroll
    for (int k = 0; k < rows_at_once; ++k) {
      const std::size_t i = (start + k) * core::order_v1<T>::lanes + lane * packed::count;
      if constexpr (aligned) {
        x[k] = *reinterpret_cast<const packed*>(a + i), y[k] = *reinterpret_cast<const packed*>(b + i);
      } else {
#pragma unroll
        for (int j = 0; j < packed::count; ++j) x[k].element[j] = a[i + j], y[k].element[j] = b[i + j];
      }
    }
#pragma unroll
    for (int k = 0; k < rows_at_once; ++k) {
#pragma unroll
      for (int j = 0; j < packed::count; ++j) sum[j] = multiply_add(x[k].element[j], y[k].element[j], sum[j]);
    }
  }
  return fold(sum);
}

/// The first n elements of a tile: those that are missing are skipped, not added as zero.
template <class T>
__device__ T part_of_tile(const T* a, const T* b, std::size_t n) {
  constexpr int rows = core::order_v1<T>::rows, count = pack<T>::count;
  T sum[count] = {};
  const unsigned lane = threadIdx.x % 32;
  T x[rows][count], y[rows][count];
#pragma unroll
  for (int k = 0; k < rows; ++k) {
#pragma unroll
    for (int j = 0; j < count; ++j) {
      const std::size_t i = k * core::order_v1<T>::lanes + lane * count + j;
      x[k][j] = i < n ? a[i] : T{0}, y[k][j] = i < n ? b[i] : T{0};
    }
  }
#pragma unroll
  for (int k = 0; k < rows; ++k) {
#pragma unroll
    for (int j = 0; j < count; ++j) {
      const std::size_t i = k * core::order_v1<T>::lanes + lane * count + j;
      if (i < n) sum[j] = multiply_add(x[k][j], y[k][j], sum[j]);
    }
  }
  return fold(sum);
}

template <class T>
__device__ __forceinline__ T tile(const T* a, const T* b, std::size_t n, std::size_t index, bool aligned) {
  constexpr std::size_t size = core::order_v1<T>::tile;
  const std::size_t first = index * size;
  if (n - first < size) return part_of_tile(a + first, b + first, n - first);
  return aligned ? whole_tile<true>(a + first, b + first) : whole_tile<false>(a + first, b + first);
}

/// The subtree of tiles first, first + 1, … that a warp adds up one after the other: a sum for each level that
/// waits for its right neighbour, in shared memory.
template <class T>
__device__ T subtree(const T* a, const T* b, std::size_t n, std::size_t first, std::size_t end, bool aligned,
                     T* waiting) {
  T node = tile(a, b, n, first, aligned);
  if (end - first == 1) return node;
  const bool lane_0 = threadIdx.x % 32 == 0;
  for (std::size_t done = 0;; node = tile(a, b, n, first + done, aligned)) {
    int level = 0;
    for (std::size_t index = done; (index & 1) != 0; index >>= 1) node = waiting[level++] + node;
    __syncwarp();
    if (lane_0) waiting[level] = node;
    __syncwarp();
    if (++done == end - first) break;
  }
  const std::uint64_t count = end - first;
  int level = core::trailing_zeros(count);
  node = waiting[level];
  while ((count >> ++level) != 0) {
    if ((count >> level & 1) != 0) node = waiting[level] + node;
  }
  __syncwarp();
  return node;
}

/// The sum of up to `threads` · 32 nodes by the tree, in thread 0. `room`: a node a warp, in shared memory.
template <int threads, class T>
__device__ T add_nodes(const T* node, unsigned count, T* room) {
  constexpr unsigned run = 32;
  T sum;
  unsigned left = count;
  if (count <= threads) {
    sum = threadIdx.x < count ? __ldcg(node + threadIdx.x) : T{0};
  } else {
    const unsigned first = threadIdx.x * run;
    T x[run];
#pragma unroll
    for (unsigned i = 0; i < run; ++i) x[i] = first + i < count ? __ldcg(node + first + i) : T{0};
#pragma unroll
    for (unsigned step = 1; step < run; step *= 2) {
#pragma unroll
      for (unsigned i = 0; i < run; i += 2 * step) {
        if (first + i + step < count) x[i] = x[i] + x[i + step];
      }
    }
    sum = x[0];
    left = (count + run - 1) / run;
  }
  sum = add_neighbours<32>(sum, threadIdx.x, left);
  if (threads == 32) return sum;
  if (threadIdx.x % 32 == 0) room[threadIdx.x / 32] = sum;
  __syncthreads();
  const unsigned warps = (left + 31) / 32;
  if (threadIdx.x < 32) {
    sum = threadIdx.x < warps ? room[threadIdx.x] : T{0};
    sum = add_neighbours<threads / 32>(sum, threadIdx.x, warps);
  }
  return sum;
}

/// `log2_tiles`: log2 of the tiles in a warp's subtree. The grid has at most as many blocks as there are nodes.
template <class T, class R, int threads>
__global__ void __launch_bounds__(threads)
    fast_kernel(const T* a, const T* b, std::size_t n, int log2_tiles, grid_nodes<T>* all, R* result) {
  constexpr unsigned warps = threads / 32;
  constexpr int most_levels = 40;
  __shared__ T of_warp[warps];
  __shared__ T waiting[warps][most_levels];
  __shared__ unsigned is_last;
  constexpr std::size_t size = core::order_v1<T>::tile;
  const bool aligned = (reinterpret_cast<std::uintptr_t>(a) | reinterpret_cast<std::uintptr_t>(b)) % 16 == 0;
  const std::size_t tiles = (n + size - 1) / size;
  const std::size_t subtrees = (tiles + (std::size_t{1} << log2_tiles) - 1) >> log2_tiles;
  const auto nodes = static_cast<unsigned>((subtrees + warps - 1) / warps);
  const unsigned warp = threadIdx.x / 32;
  T sum{0};
  for (unsigned node = blockIdx.x; node < nodes; node += gridDim.x) {
    const std::size_t own = std::size_t{node} * warps + warp;
    if (own < subtrees) {
      const std::size_t first = own << log2_tiles;
      sum = subtree(a, b, n, first, min(first + (std::size_t{1} << log2_tiles), tiles), aligned, waiting[warp]);
    }
    if (warps > 1) {
      if (threadIdx.x % 32 == 0) of_warp[warp] = sum;
      __syncthreads();
      if (warp == 0) {
        sum = threadIdx.x < warps ? of_warp[threadIdx.x] : T{0};
        const std::size_t left = subtrees - std::size_t{node} * warps;
        sum = add_neighbours<warps>(sum, threadIdx.x, left < warps ? static_cast<unsigned>(left) : warps);
      }
      __syncthreads();
    }
    if (threadIdx.x == 0 && nodes > 1) all->node[node] = sum;
  }
  if (nodes > 1) {
    if (threadIdx.x == 0) {
      __threadfence();
      is_last = atomicAdd(&all->blocks_done, 1U) + 1 == gridDim.x;
      __threadfence();
    }
    __syncthreads();
    if (is_last == 0) return;
    if (threadIdx.x == 0) all->blocks_done = 0;
    sum = add_nodes<threads>(all->node, nodes, of_warp);
  }
  if (threadIdx.x == 0) *result = sum != sum ? core::canonical_nan<R>() : static_cast<R>(sum);
}

}  // namespace
}  // namespace exactdot::cuda_engine

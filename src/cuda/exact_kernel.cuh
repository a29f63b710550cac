// Mode exact on a GPU: one launch, one pass over the vectors, one rounding.
//
// Threads keep expansions, warps turn theirs into integers (pieces.cuh), blocks add them up in shared memory and
// then, by integer atomics, which commute, in the workspace. The block that comes last rounds. Where the rounding
// is not certain, that block adds the products again, as integers, which is slow, and right for every input. A warp
// that met infinities or NaNs walks over its share once more to count them.
#pragma once

#include <core/special.hpp>
#include <cuda/deliver.cuh>
#include <cuda/load.cuh>
#include <cuda/thread_sum.cuh>

namespace exactdot::cuda_engine {
namespace {

/// Moves the grid's sum to the block's pieces, and leaves zeros; by the lanes of one warp. All loads are on their
/// way before the first store, which they could not overtake.
template <class T>
__device__ void take_over(block_sum<T>& mine, grid_sum<T>& all) {
  constexpr int count = piece_grid<T>::count, rounds = (count + 31) / 32;
  const int lane = static_cast<int>(threadIdx.x % 32);
  wide_int piece[rounds];
#pragma unroll
  for (int k = 0; k < rounds; ++k) piece[k] = 32 * k + lane < count ? __ldcg(&all.piece[32 * k + lane]) : 0;
  const wide_unsigned special = lane < 3 ? __ldcg(&all.special[lane]) : 0;
  const unsigned lost_end = lane == 0 ? __ldcg(&all.lost_end) : 0;
#pragma unroll
  for (int k = 0; k < rounds; ++k) {
    if (32 * k + lane < count) mine.piece[32 * k + lane] = piece[k], all.piece[32 * k + lane] = 0;
  }
  if (lane < 3) mine.special[lane] = special, all.special[lane] = 0;
  if (lane == 0) mine.lost_end = lost_end, all.lost_end = 0, all.blocks_done = 0;
  __syncwarp();
}

/// Adds this block's sum to the grid's; by the lanes of one warp. True in the block that comes last, whose `piece`
/// then holds the grid's sum.
template <int warps, class T>
__device__ bool come_last(block_sum<T>& mine, grid_sum<T>& all) {
  constexpr int count = piece_grid<T>::count;
  const int lane = static_cast<int>(threadIdx.x % 32);
  const warp_digits sum = block_digits<warps>(mine);
  if (sum.complete) {
    if (sum.mine != 0) add_to(&all.piece[sum.first + lane], sum.mine);
  } else {
    scatter<warps>(mine);
    for (int i = lane; i < count; i += 32) {
      if (mine.piece[i] != 0) add_to(&all.piece[i], mine.piece[i]);
    }
  }
  if (lane < 3 && mine.special[lane] != 0) atomicAdd(&all.special[lane], mine.special[lane]);
  unsigned last = 0;
  __syncwarp();
  if (lane == 0) {
    if (mine.lost_end != 0) atomicMax(&all.lost_end, mine.lost_end);
    __threadfence();  // for the whole warp: it comes between two synchronisations with it
    last = atomicAdd(&all.blocks_done, 1U) + 1 == gridDim.x;
    __threadfence();
  }
  last = __shfl_sync(all_lanes, last, 0);
  if (last == 0) return false;
  __syncwarp();
  take_over(mine, all);
  return true;
}

/// Counts the products that are infinities or NaNs, among this warp's share of the grid's.
template <class T>
__device__ void count_special(const T* a, const T* b, std::size_t n, block_sum<T>& to) {
  wide_unsigned nans = 0, plus = 0, minus = 0;
  for_each_chunk<1>(a, b, n, [&](const auto& x, const auto& y) {
    for (std::size_t i = 0; i < sizeof x / sizeof(T); ++i) {
      const core::exact_term term = core::exact_product(x[i], y[i]);
      nans += term.what == core::kind::nan;
      plus += term.what == core::kind::infinite && !term.negative;
      minus += term.what == core::kind::infinite && term.negative;
    }
  });
  if (nans != 0) atomicAdd(&to.special[0], nans);
  if (plus != 0) atomicAdd(&to.special[1], plus);
  if (minus != 0) atomicAdd(&to.special[2], minus);
}

/// The sum of all products, which are finite, as integers, by one block; `sum` is cleared first.
template <class T>
__device__ void add_integers(const T* a, const T* b, std::size_t n, block_sum<T>& sum) {
  sum.clear();
  __syncthreads();
  for (std::size_t i = threadIdx.x; i < n; i += blockDim.x) add_term<T>(sum.piece, core::exact_product(a[i], b[i]));
  __syncthreads();
}

/// log2 of the number of warps in the grid, rounded up.
__device__ inline unsigned log2_of_warps() {
  const unsigned warps = gridDim.x * ((blockDim.x + 31) / 32);
  return warps == 1 ? 0 : 32 - static_cast<unsigned>(__clz(static_cast<int>(warps - 1)));
}

enum : unsigned { not_last, done, uncertain };

template <class T, class Result, int threads, int packs_at_once>
__global__ void __launch_bounds__(threads, sizeof(T) == 4 ? 1024 / threads : (threads < 512 ? 512 / threads : 1))
    exact_kernel(const T* a, const T* b, std::size_t n, grid_sum<T>* all, Result result) {
  constexpr int warps = threads / 32;
  __shared__ block_sum<T> block;
  __shared__ unsigned digit[piece_grid<T>::count];
  __shared__ unsigned verdict;
  block.clear();
  thread_sum<T> mine;
  for_each_chunk<packs_at_once>(a, b, n, [&](const auto& x, const auto& y) { mine.add(x, y); });
  __syncthreads();
  if (!mine.give_to(block)) count_special(a, b, n, block);
  __syncthreads();
  if (threadIdx.x < 32) {
    const bool alone = gridDim.x == 1;
    unsigned come = not_last;
    if (alone || come_last<warps>(block, *all)) {
      const unsigned lost_end = block.lost_end == 0 ? 0 : block.lost_end + log2_of_warps();
      come = deliver<warps>(result, block, digit, {alone, lost_end}) ? done : uncertain;
    }
    if (threadIdx.x == 0) verdict = come;
  }
  __syncthreads();
  if (verdict != uncertain) return;
  add_integers(a, b, n, block);
  if (threadIdx.x < 32) deliver<warps>(result, block, digit, {false, 0});
}

}  // namespace
}  // namespace exactdot::cuda_engine

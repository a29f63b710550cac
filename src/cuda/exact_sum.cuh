// The second pass of mode exact: every piece there is, in shared memory, and nothing lost.
//
// Blocks whose first pass lost something add their shares up again, by longer expansions or, where those are too
// short as well, by integers, and give the pieces to the reader through device memory. Integer additions commute,
// so this too is the same number in any order.
#pragma once

#include <core/special.hpp>
#include <cuda/letters.cuh>
#include <cuda/load.cuh>
#include <cuda/thread_sum.cuh>

namespace exactdot::cuda_engine {
namespace {

template <class T>
struct exact_sum {
  wide_int piece[piece_grid<T>::count];
  wide_unsigned special[3];  ///< how many products were NaN, +infinity, -infinity

  __device__ void clear_special() {
    if (threadIdx.x < 3) special[threadIdx.x] = 0;
  }
  /// By `threads` threads, this one having an index among them.
  __device__ void clear_pieces(unsigned index, unsigned threads) {
    for (unsigned i = index; i < piece_grid<T>::count; i += threads) piece[i] = 0;
  }
  __device__ void add(int i, wide_int value) {
    if (value != 0) add_to(piece + i, value);
  }
  /// By the lanes of a warp.
  __device__ void add(const lane_sum& sum) { add(sum.first + static_cast<int>(threadIdx.x % 32), sum.mine); }
};

/// Counts the products that are infinities or NaNs, among this thread's share of the grid's.
template <class T>
__device__ void count_special(const T* a, const T* b, std::size_t n, exact_sum<T>& to) {
  wide_unsigned found[3] = {};
  for_each_chunk<1>(a, b, n, [&](const auto& x, const auto& y) {
    for (std::size_t i = 0; i < sizeof x / sizeof(T); ++i) {
      const core::exact_term term = core::exact_product(x[i], y[i]);
      found[0] += term.what == core::kind::nan;
      found[1] += term.what == core::kind::infinite && !term.negative;
      found[2] += term.what == core::kind::infinite && term.negative;
    }
  });
  for (int k = 0; k < 3; ++k) {
    if (found[k] != 0) atomicAdd(&to.special[k], found[k]);
  }
}

/// By all lanes of a warp.
template <class T, int levels>
__device__ void add_expansion(exact_sum<T>& to, const expansion<levels>& of, int origin) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  static_assert(levels % 2 == 0);
  for (int k = 0; k < levels; k += 2) {
    double x[2] = {of.sum[k], of.sum[k + 1]};
    for (bool more = true; more;) {
      const warp_part part = take_part<window>(x, origin);
      if (lane < window && part.first >= 0) to.add(part.first + lane, part.mine);
      more = __any_sync(all_lanes, part.more);
    }
  }
}

/// Adds this warp's share of the grid's products, which are finite. By all lanes.
template <class T>
__device__ void add_share(const T* a, const T* b, std::size_t n, exact_sum<T>& to) {
  constexpr int more_levels = 6;
  thread_sum<T, more_levels> mine;
  for_each_chunk<1>(a, b, n, [&](const auto& x, const auto& y) { mine.add(x, y); });
  __syncwarp();
  if (__all_sync(all_lanes, mine.is_complete())) {
    mine.for_each_expansion([&](const auto& of, int origin) { add_expansion(to, of, origin); });
    return;
  }
  for_each_chunk<1>(a, b, n, [&](const auto& x, const auto& y) {
    for (std::size_t i = 0; i < sizeof x / sizeof(T); ++i) add_term<T>(to.piece, core::exact_product(x[i], y[i]));
  });
}

/// Gives the block's pieces to the grid's. By all threads, after a barrier.
template <class T>
__device__ void give_pieces(const exact_sum<T>& mine, grid_sum<T>& all, mailbox& box) {
  for (unsigned i = threadIdx.x; i < piece_grid<T>::count; i += blockDim.x) {
    if (mine.piece[i] != 0) add_to(&all.piece[i], mine.piece[i]);
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  __threadfence();  // for the whole block
  atomicAdd(&box.given, 1U);
}

/// Adds the other blocks' letters that lack nothing, and what the others gave. By all threads; a barrier before and
/// after. `expected`: a word of shared memory.
template <class T>
__device__ void take_all(exact_sum<T>& sum, grid_sum<T>& all, mailbox& box, unsigned* expected) {
  if (threadIdx.x == 0) *expected = 0;
  __syncthreads();
  const unsigned lane = threadIdx.x % 32;
  for (unsigned i = threadIdx.x / 32; i < gridDim.x; i += blockDim.x / 32) {
    if (i == blockIdx.x) continue;
    const wide_unsigned* const letter = &box.word[i * letter_words];
    const int word = lane < letter_words ? static_cast<int>(static_cast<unsigned>(peek(letter + lane))) : 0;
    const int header = __shfl_sync(all_lanes, word, letter_header);
    if (lost_end_of(header) != 0) {
      if (lane == 0) atomicAdd(expected, 1U);
    } else if (first_of(header) >= 0 && lane < letter_pieces) {
      sum.add(first_of(header) + static_cast<int>(lane), word);
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    const unsigned givers = *expected;
    while (__nv_atomic_load_n(&box.given, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE) != givers) {
    }
    __threadfence();
    box.given = 0;
  }
  __syncthreads();
  for (unsigned i = threadIdx.x; i < piece_grid<T>::count; i += blockDim.x) {
    sum.add(static_cast<int>(i), __ldcg(&all.piece[i]));
    all.piece[i] = 0;
  }
}

}  // namespace
}  // namespace exactdot::cuda_engine

// The second level of mode exact: a superaccumulator of all digits, in shared memory.
//
// A share is summed in expansions, with a bound on what these dropped, nearly always 0. If that leaves the result
// open, integers follow. A block contributes its digits to the grid's superaccumulator in device memory. Integer
// additions commute, so the order changes nothing.
#pragma once

#include <cuda/core/exchange.cuh>
#include <cuda/sum/digits.cuh>

namespace exactdot::inline v0_3::cuda_engine {

template <class Carrier>
struct superaccumulator {
  wide_int digit[digit_layout<Carrier>::count];
  wide_unsigned special[3];  ///< numbers of NaN, +infinite, -infinite terms
  unsigned log2_error;       ///< less than 2^this, as a position, is missing for each warp and share; 0: nothing

  /// By this thread, of at least three.
  __device__ void clear_special(unsigned index) {
    if (index < 3) special[index] = 0;
    if (index == 0) log2_error = 0;
  }
  /// By `threads` threads, this one with the given index among them.
  __device__ void clear_digits(unsigned index, unsigned threads) {
    for (unsigned i = index; i < digit_layout<Carrier>::count; i += threads) digit[i] = 0;
  }
  __device__ void add(int i, wide_int value) {
    if (value != 0) add_to(digit + i, value);
  }
};

namespace {

/// Adds the digits and counts of `shares` shares to the grid's. By all threads, after a barrier.
template <class Carrier>
[[gnu::noinline]] __device__ void contribute(const superaccumulator<Carrier>& block, unsigned shares,
                                             grid_superaccumulator& grid, exchange& exchange) {
  for (unsigned i = threadIdx.x; i < digit_layout<Carrier>::count; i += blockDim.x) {
    if (block.digit[i] != 0) add_to(&grid.digit[i], block.digit[i]);
  }
  if (threadIdx.x < 3 && block.special[threadIdx.x] != 0) {
    atomicAdd(&grid.special[threadIdx.x], block.special[threadIdx.x]);
  }
  if (threadIdx.x == 0 && block.log2_error != 0) atomicMax(&grid.log2_error, block.log2_error);
  __syncthreads();
  if (threadIdx.x != 0) return;
  __threadfence();  // for the whole block
  atomicAdd(&exchange.contributions, shares);
}

/// Adds what the other blocks contributed, `shares` shares, and clears the grid's digits and counts. By all threads
/// of the last block; a barrier before and after.
template <class Carrier>
[[gnu::noinline]] __device__ void collect(superaccumulator<Carrier>& sum, unsigned shares,
                                          grid_superaccumulator& grid, exchange& exchange) {
  if (threadIdx.x == 0) {
    while (__nv_atomic_load_n(&exchange.contributions, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE) != shares) {
    }
    __threadfence();
    exchange.contributions = 0;
  }
  __syncthreads();
  for (unsigned i = threadIdx.x; i < digit_layout<Carrier>::count; i += blockDim.x) {
    sum.add(static_cast<int>(i), __ldcg(&grid.digit[i]));
    grid.digit[i] = 0;
  }
  if (threadIdx.x < 3) {
    sum.special[threadIdx.x] += __ldcg(&grid.special[threadIdx.x]);
    grid.special[threadIdx.x] = 0;
  }
  if (threadIdx.x == 0) {
    sum.log2_error = ::max(sum.log2_error, __ldcg(&grid.log2_error));
    grid.log2_error = 0;
  }
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine

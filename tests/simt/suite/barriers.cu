// __syncthreads that some threads of the block do not reach, or reach at another place.
#include "suite.hpp"

namespace {
using namespace suite;
constexpr auto divergence = fault_kind::barrier_divergence;

/// The barrier of a tree stands inside of the branch.
template <bool faulty>
__global__ void in_branch(arrays m) {
  __shared__ int sums[64];
  sums[threadIdx.x] = m.in[threadIdx.x];
  __syncthreads();  // fault: in_branch
  for (unsigned half = 32; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      sums[threadIdx.x] += sums[threadIdx.x + half];  // fault: in_branch
      if (faulty) __syncthreads();                    // fault: in_branch
    }
    if (!faulty) __syncthreads();
  }
  if (threadIdx.x == 0) m.out[0] = sums[0];
}

/// Threads without an element leave before the barrier. Volta and later allow it: the barrier waits for those that
/// have not exited.
template <bool faulty>
__global__ void early_return(arrays m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (faulty && i >= arrays::n) return;  // fault: early_return
  if (i < arrays::n) m.scratch[i] = m.in[i];
  __syncthreads();  // fault: early_return
  if (i < arrays::n) m.out[i] = m.scratch[i / 64 * 64];
}

/// A loop whose number of rounds differs between warps.
template <bool faulty>
__global__ void ragged_loop(arrays m) {
  const unsigned rounds = faulty ? 2 + threadIdx.x / 32 : 3;
  for (unsigned i = 0; i < rounds; ++i) {
    __syncthreads();  // fault: ragged_loop
  }
  m.out[threadIdx.x] = static_cast<int>(rounds);  // fault: ragged_loop
  __syncthreads();                                // fault: ragged_loop
}

/// Two barriers in the two branches of one condition.
template <bool faulty>
__global__ void two_places(arrays m) {
  if (faulty ? threadIdx.x % 2 == 0 : blockIdx.x == 0) {
    m.out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
    __syncthreads();  // fault: two_places
  } else {
    m.scratch[blockIdx.x * blockDim.x + threadIdx.x] = 2;
    __syncthreads();  // fault: two_places
  }
}

/// One warp skips the barrier.
template <bool faulty>
__global__ void skipped_by_a_warp(arrays m) {
  if (!faulty || threadIdx.x / 32 != 1) {
    __syncthreads();  // fault: skipped_by_a_warp
  }
  m.out[threadIdx.x] = 1;  // fault: skipped_by_a_warp
}

/// A condition of the data, which is not the same for all threads.
template <bool faulty>
__global__ void condition_of_the_data(arrays m) {
  const bool wide = m.in[faulty ? threadIdx.x : 0] % 5 == 0;
  if (wide) {
    m.scratch[threadIdx.x] = 1;
    __syncthreads();  // fault: condition_of_the_data
  }
  m.out[threadIdx.x] = 1;  // fault: condition_of_the_data
}

template <bool faulty>
__global__ void count_in_branch(arrays m) {
  int count = 0;
  if (!faulty || threadIdx.x < 40) {
    count = __syncthreads_count(threadIdx.x % 2 == 0);  // fault: count_in_branch
  }
  m.out[threadIdx.x] = count;  // fault: count_in_branch
}

__device__ [[gnu::noinline]] int shared_first(int x) {
  __shared__ int value;
  if (threadIdx.x == 0) value = x;
  __syncthreads();  // fault: in_function
  return value;
}
/// The function has a barrier; the caller is in a branch.
template <bool faulty>
__global__ void in_function(arrays m) {
  int x = 3;
  if (!faulty || threadIdx.x < 32) x = shared_first(5);
  m.out[threadIdx.x] = x;  // fault: in_function
}

/// Break out of a loop with a barrier, when the own element is found.
template <bool faulty>
__global__ void broken_loop(arrays m) {
  int found = -1;
  for (int i = 0; i < 4; ++i) {
    if (m.in[threadIdx.x] % 4 == i) {
      found = i;
      if (faulty) break;
    }
    __syncthreads();  // fault: broken_loop
  }
  m.out[threadIdx.x] = found;  // fault: broken_loop
}

/// The same number of barriers in every thread, but one of them is an __syncthreads_or.
template <bool faulty>
__global__ void two_kinds(arrays m) {
  int any = 0;
  if (faulty && threadIdx.x < 32) {
    any = __syncthreads_or(1);  // fault: two_kinds
  } else {
    __syncthreads();  // fault: two_kinds
  }
  m.out[threadIdx.x] = any;
}

/// Barriers under conditions that hold for all threads of a block or for none.
__global__ void uniform_conditions(arrays m) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  for (int i = 0; i < static_cast<int>(blockIdx.x); ++i) {
    atomicAdd(&sum, 1);
    __syncthreads();
  }
  if (blockIdx.x % 2 == 0) __syncthreads();
  if (__syncthreads_and(sum == static_cast<int>(blockIdx.x * blockDim.x)) != 0) __syncthreads();
  if (threadIdx.x == 0) m.out[blockIdx.x] = sum;
}

/// Rounds that end for all threads together, by a vote.
__global__ void rounds_by_vote(arrays m) {
  int x = m.in[threadIdx.x], rounds = 0;
  while (__syncthreads_or(x > 1) != 0) {
    x /= 2, ++rounds;
  }
  m.out[threadIdx.x] = rounds;
}

const family table =
    family("barriers of a block", __FILE__)
        .pair("in_branch", in_branch<true>, in_branch<false>, divergence, {.block = 64, .result = 2016})
        .pair("early_return", early_return<true>, early_return<false>, divergence,
              {.grid = 16, .block = 64, .result = 0, .faulty_in = models::lock_step, .runs_in = models::lock_step})
        .pair("ragged_loop", ragged_loop<true>, ragged_loop<false>, divergence, {.block = 96, .result = 3})
        .pair("two_places", two_places<true>, two_places<false>, divergence, {.grid = 2, .block = 64, .result = 1})
        .pair("skipped_by_a_warp", skipped_by_a_warp<true>, skipped_by_a_warp<false>, divergence, {.block = 96})
        .pair("condition_of_the_data", condition_of_the_data<true>, condition_of_the_data<false>, divergence,
              {.block = 64, .result = 1})
        .pair("count_in_branch", count_in_branch<true>, count_in_branch<false>, divergence,
              {.block = 64, .result = 32})
        .pair("in_function", in_function<true>, in_function<false>, divergence, {.block = 64, .result = 5})
        .pair("broken_loop", broken_loop<true>, broken_loop<false>, divergence, {.block = 64, .result = 0})
        .pair("two_kinds", two_kinds<true>, two_kinds<false>, divergence, {.block = 64, .result = 0})
        .correct("uniform_conditions", uniform_conditions, {.grid = 5, .block = 96, .result = 0})
        .correct("rounds_by_vote", rounds_by_vote, {.block = 80, .result = 6});

}  // namespace

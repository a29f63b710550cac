// Fences: messages between blocks and between warps, with the fences that make them right and without.
#include "suite.hpp"

namespace {
using namespace suite;
constexpr auto race = fault_kind::data_race;

__device__ void wait_for(int* flag, int value) {
  while (atomicAdd(flag, 0) != value) {
  }
}

/// Block 0 sends a word to block 1. 1: the writer has no fence; 2: the reader has none; 3: the writer's fence comes
/// after the flag; 4 and 5: a fence of block scope in place of the writer's or the reader's.
template <int fault>
__global__ void message(arrays m) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    m.scratch[0] = 7;  // fault: message_*
    if (fault == 4) __threadfence_block();
    if (fault != 1 && fault != 3 && fault != 4) __threadfence();
    atomicExch(m.zeros, 1);
    if (fault == 3) __threadfence();
  } else {
    wait_for(m.zeros, 1);
    if (fault == 5) __threadfence_block();
    if (fault != 2 && fault != 5) __threadfence();
    m.out[0] = m.scratch[0];  // fault: message_*
  }
}

/// A volatile flag. 1: the writer has no fence; 2: the reader has none.
template <int fault>
__global__ void volatile_flag(arrays m) {
  if (threadIdx.x != 0) return;
  volatile int* const flag = m.zeros;
  if (blockIdx.x == 0) {
    m.scratch[0] = 7;  // fault: volatile_flag_no_fence_of_writer, volatile_flag_no_fence_of_reader
    if (fault != 1) __threadfence();
    *flag = 1;
  } else {
    while (*flag == 0) {
    }
    if (fault != 2) __threadfence();
    m.out[0] = m.scratch[0];  // fault: volatile_flag_no_fence_of_writer, volatile_flag_no_fence_of_reader
  }
}

/// A volatile state that changes twice: a block takes the first that it sees of the block before it, whose number or
/// whose sum it then reads. Faulty: the sum is published without a fence.
template <bool faulty>
__global__ void look_back(arrays m) {
  if (threadIdx.x != 0) return;
  volatile int* const state = m.zeros;
  int* const number = m.scratch;
  int* const sum = m.scratch + 32;
  const int block = static_cast<int>(blockIdx.x);
  int before = 0;
  if (block != 0) {
    number[block] = block;
    __threadfence();
    state[block] = 1;
    for (int i = block - 1;; --i) {
      int seen = 0;
      do seen = state[i];
      while (seen == 0);
      __threadfence();
      before += seen == 2 ? sum[i] : number[i];  // fault: look_back
      if (seen == 2) break;
    }
  }
  sum[block] = before + block;  // fault: look_back
  if (!faulty) __threadfence();
  state[block] = 2;
  if (block == static_cast<int>(gridDim.x) - 1) m.out[0] = before;
}

/// A flag that a block looks at once, and goes on without the message if it is not set.
__global__ void look_once(arrays m) {
  if (threadIdx.x != 0) return;
  volatile int* const flag = m.zeros;
  if (blockIdx.x == 0) {
    m.scratch[0] = 7;
    __threadfence();
    *flag = 1;
  } else if (*flag == 1) {
    __threadfence();
    m.out[blockIdx.x] = m.scratch[0];
  }
}

/// Thread 0 publishes the words of its whole block, which it is ordered after by a barrier.
template <bool faulty>
__global__ void message_of_a_block(arrays m) {
  if (blockIdx.x == 0) {
    m.scratch[threadIdx.x] = m.in[threadIdx.x];  // fault: message_of_a_block
    if (!faulty) __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      atomicExch(m.zeros, 1);
    }
  } else {
    if (threadIdx.x == 0) {
      wait_for(m.zeros, 1);
      __threadfence();
    }
    __syncthreads();
    m.out[threadIdx.x] = m.scratch[threadIdx.x];  // fault: message_of_a_block
  }
}

/// A message that block 1 passes on: its fence also releases what it has acquired.
template <bool faulty>
__global__ void passed_on(arrays m) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    m.scratch[0] = 7;  // fault: passed_on
    __threadfence();
    atomicExch(&m.zeros[0], 1);
  } else if (blockIdx.x == 1) {
    wait_for(&m.zeros[0], 1);
    if (!faulty) __threadfence();
    atomicExch(&m.zeros[1], 1);
  } else {
    wait_for(&m.zeros[1], 1);
    __threadfence();
    m.out[0] = m.scratch[0];  // fault: passed_on
  }
}

/// A flag between warps of one block: fences of block scope suffice.
template <int fault>
__global__ void within_a_block(arrays m) {
  __shared__ int word, flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    word = 7;  // fault: warps_no_fence_of_writer, warps_no_fence_of_reader
    if (fault != 1) __threadfence_block();
    atomicExch(&flag, 1);
  } else if (threadIdx.x == 32) {
    wait_for(&flag, 1);
    if (fault != 2) __threadfence_block();
    m.out[blockIdx.x] = word;  // fault: warps_no_fence_of_writer, warps_no_fence_of_reader
  }
}

/// The last block to end sums what all have stored. 1: no fence before the counter; 2: none after it.
template <int fault>
__global__ void last_block(arrays m) {
  __shared__ bool is_last;
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < arrays::n; i += gridDim.x * blockDim.x)
    atomicAdd(&sum, m.in[i]);
  __syncthreads();
  if (threadIdx.x == 0) {
    m.scratch[blockIdx.x] = sum;  // fault: last_block_no_fence_before, last_block_no_fence_after
    if (fault != 1) __threadfence();
    is_last = atomicAdd(m.zeros, 1) == static_cast<int>(gridDim.x) - 1;
    if (fault != 2) __threadfence();
  }
  __syncthreads();
  if (is_last && threadIdx.x == 0) {
    int total = 0;
    for (unsigned i = 0; i < gridDim.x; ++i) {
      total += m.scratch[i];  // fault: last_block_no_fence_before, last_block_no_fence_after
    }
    m.out[0] = total;
  }
}

/// A ring of four places between two blocks. 1: the consumer frees a place without a fence; 2: the producer fills
/// one without.
template <int fault>
__global__ void ring(arrays m) {
  if (threadIdx.x != 0) return;
  int *const filled = &m.zeros[0], *const freed = &m.zeros[1], *const places = m.scratch;
  constexpr int size = fault == 1 ? 1 : 4;
  if (blockIdx.x == 0) {
    for (int i = 0; i < 16; ++i) {
      while (i - atomicAdd(freed, 0) >= size) {
      }
      __threadfence();
      places[i % size] = m.in[i];  // fault: ring_freed_without_fence, ring_filled_without_fence
      if (fault != 2) __threadfence();
      atomicAdd(filled, 1);
    }
  } else {
    int sum = 0;
    for (int i = 0; i < 16; ++i) {
      while (atomicAdd(filled, 0) <= i) {
      }
      __threadfence();
      sum += places[i % size];  // fault: ring_freed_without_fence, ring_filled_without_fence
      if (fault != 1) __threadfence();
      atomicAdd(freed, 1);
    }
    m.out[0] = sum;
  }
}

/// A lock. 1: no fence after it is taken; 2: none before it is released; 3: both of block scope.
template <int fault>
__global__ void lock(arrays m) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(m.zeros, 0, 1) != 0) {
  }
  if (fault == 3) __threadfence_block();
  if (fault != 1 && fault != 3) __threadfence();
  m.zeros[9] += 1;  // fault: lock_no_fence_after, lock_no_fence_before, lock_block_fences
  if (fault == 3) __threadfence_block();
  if (fault != 2 && fault != 3) __threadfence();
  atomicExch(m.zeros, 0);
}

/// Two threads that announce themselves and look for the other: without exclusion both may enter.
template <bool faulty>
__global__ void announcement(arrays m) {
  if (threadIdx.x != 0) return;
  if (faulty) {
    atomicExch(&m.zeros[blockIdx.x], 1);
    __threadfence();
    const bool alone = atomicAdd(&m.zeros[blockIdx.x ^ 1U], 0) == 0;
    __threadfence();
    if (alone || blockIdx.x == 0) m.zeros[9] += 1;  // fault: announcement
  } else {
    if (atomicAdd(m.zeros, 1) == 0) m.zeros[9] += 1;
  }
}

/// Atomic loads and stores of one word, with fences: words travel both ways.
__global__ void ping_pong(arrays m) {
  if (threadIdx.x != 0) return;
  const int me = static_cast<int>(blockIdx.x);
  for (int round = 0; round < 6; ++round) {
    while (__nv_atomic_load_n(m.zeros, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE) % 2 != me) {
    }
    __threadfence();
    m.zeros[9] += 1;
    __threadfence();
    __nv_atomic_store_n(m.zeros, 2 * round + me + 1, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  }
  if (me == 1) m.out[0] = m.zeros[9];
}

/// Words that carry their own flag: the value and the flag are one atomic word, so no fence is needed.
__global__ void flagged_words(arrays m) {
  auto* const words = reinterpret_cast<unsigned long long*>(m.zeros);
  const unsigned lane = threadIdx.x;
  if (blockIdx.x == 0) {
    atomicExch(&words[lane], 1ULL << 32 | static_cast<unsigned>(m.in[lane]));
  } else {
    unsigned long long word = 0;
    while ((word = atomicAdd(&words[lane], 0ULL)) >> 32 == 0) {
    }
    m.out[lane] = static_cast<int>(word);
  }
}

const family table =
    family("fences", __FILE__)
        .pair("message_no_fence_of_writer", message<1>, message<0>, race, {.grid = 2, .block = 32, .result = 7})
        .faulty("message_no_fence_of_reader", message<2>, race, {.grid = 2, .block = 32})
        .faulty("message_fence_too_late", message<3>, race, {.grid = 2, .block = 32})
        .faulty("message_block_fence_of_writer", message<4>, race, {.grid = 2, .block = 32})
        .faulty("message_block_fence_of_reader", message<5>, race, {.grid = 2, .block = 32})
        .pair("volatile_flag_no_fence_of_writer", volatile_flag<1>, volatile_flag<0>, race,
              {.grid = 2, .block = 32, .result = 7})
        .faulty("volatile_flag_no_fence_of_reader", volatile_flag<2>, race, {.grid = 2, .block = 32})
        .pair("look_back", look_back<true>, look_back<false>, race, {.grid = 8, .block = 32, .result = 21})
        .correct("look_once", look_once, {.grid = 8, .block = 32})
        .pair("message_of_a_block", message_of_a_block<true>, message_of_a_block<false>, race,
              {.grid = 2, .block = 64})
        .pair("passed_on", passed_on<true>, passed_on<false>, race, {.grid = 3, .block = 1, .result = 7})
        .pair("warps_no_fence_of_writer", within_a_block<1>, within_a_block<0>, race,
              {.grid = 2, .block = 64, .result = 7})
        .faulty("warps_no_fence_of_reader", within_a_block<2>, race, {.block = 64})
        .pair("last_block_no_fence_before", last_block<1>, last_block<0>, race,
              {.grid = 6, .block = 32, .result = arrays::sum})
        .faulty("last_block_no_fence_after", last_block<2>, race, {.grid = 6, .block = 32})
        .pair("ring_freed_without_fence", ring<1>, ring<0>, race, {.grid = 2, .block = 1, .result = 120})
        .faulty("ring_filled_without_fence", ring<2>, race, {.grid = 2, .block = 1})
        .pair("lock_no_fence_after", lock<1>, lock<0>, race, {.grid = 5, .block = 32})
        .faulty("lock_no_fence_before", lock<2>, race, {.grid = 5, .block = 32})
        .faulty("lock_block_fences", lock<3>, race, {.grid = 5, .block = 32})
        .pair("announcement", announcement<true>, announcement<false>, race, {.grid = 2, .block = 1})
        .correct("ping_pong", ping_pong, {.grid = 2, .block = 1, .result = 12})
        .correct("flagged_words", flagged_words, {.grid = 2, .block = 48, .result = 0});

}  // namespace

// Waits that never end: locks, flags, barriers and blocks that are not resident.
#include "suite.hpp"

namespace {
using namespace suite;
constexpr auto hang = fault_kind::livelock;

/// Every lane takes the lock. Before Volta the lane that holds it waits for those that spin.
template <bool faulty>
__global__ void lock_per_lane(arrays m) {
  if (!faulty && threadIdx.x % 32 != 0) return;
  while (atomicCAS(m.zeros, 0, 1) != 0) {  // fault: lock_per_lane
  }
  __threadfence();
  m.zeros[9] += 1;
  __threadfence();
  atomicExch(m.zeros, 0);
}

/// The same lock, taken in a loop that runs to its end in each round: correct in both models.
__global__ void lock_in_rounds(arrays m) {
  bool done = false;
  while (!done) {
    if (atomicCAS(m.zeros, 0, 1) == 0) {
      __threadfence();
      m.zeros[9] += 1;
      __threadfence();
      atomicExch(m.zeros, 0);
      done = true;
    }
  }
}

/// The block goes on when a thread has counted enough rounds, but the block may not have it.
template <bool faulty>
__global__ void rounds_of_a_thread(arrays m) {
  __shared__ int rounds;
  if (threadIdx.x == 0) rounds = 0;
  __syncthreads();
  while (rounds < 20) {  // fault: rounds_of_a_thread
    __syncthreads();         // fault: rounds_of_a_thread
    if (threadIdx.x == (faulty ? 99 : 31)) ++rounds;
    __syncthreads();  // fault: rounds_of_a_thread
  }
  m.out[threadIdx.x] = rounds;
}

/// A flag that nobody sets.
template <bool faulty>
__global__ void forgotten_flag(arrays m) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    if (!faulty) atomicExch(m.zeros, 1);
  } else {
    while (atomicAdd(m.zeros, 0) == 0) {  // fault: forgotten_flag
    }
  }
}

/// The flag is set to another value than the one that is waited for.
template <bool faulty>
__global__ void wrong_value(arrays m) {
  if (threadIdx.x != 0) return;
  atomicAdd(m.zeros, 1);
  while (atomicAdd(m.zeros, 0) != static_cast<int>(gridDim.x) + (faulty ? 1 : 0)) {  // fault: wrong_value
  }
}

/// The holder of a lock takes it again.
template <bool faulty>
__global__ void lock_taken_twice(arrays m) {
  for (int i = 0; i < 2; ++i) {
    while (atomicCAS(m.zeros, 0, 1) != 0) {  // fault: lock_taken_twice
    }
    if (!faulty) atomicExch(m.zeros, 0);
  }
}

/// One way out of the critical section does not release the lock.
template <bool faulty>
__global__ void lock_kept(arrays m) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(m.zeros, 0, 1) != 0) {  // fault: lock_kept
  }
  __threadfence();
  if (faulty && m.zeros[9] == 2) return;
  m.zeros[9] += 1;
  __threadfence();
  atomicExch(m.zeros, 0);
}

/// Two locks, taken in opposite orders: both blocks hold one before either asks for the second.
template <bool faulty>
__global__ void two_locks(arrays m) {
  const unsigned first = faulty ? blockIdx.x : 0, second = 1 - first;
  while (atomicCAS(&m.zeros[first], 0, 1) != 0) {  // fault: two_locks
  }
  if (faulty) {
    atomicAdd(&m.zeros[2], 1);
    while (atomicAdd(&m.zeros[2], 0) < 2) {
    }
  }
  while (atomicCAS(&m.zeros[second], 0, 1) != 0) {  // fault: two_locks
  }
  atomicExch(&m.zeros[second], 0);
  atomicExch(&m.zeros[first], 0);
}

/// The same without the handshake: it hangs in some schedules only.
__global__ void two_locks_by_chance(arrays m) {
  for (int round = 0; round < 4; ++round) {
    const unsigned first = blockIdx.x, second = 1 - first;
    while (atomicCAS(&m.zeros[first], 0, 1) != 0) {  // fault: two_locks_by_chance
    }
    while (atomicCAS(&m.zeros[second], 0, 1) != 0) {  // fault: two_locks_by_chance
    }
    atomicExch(&m.zeros[second], 0);
    atomicExch(&m.zeros[first], 0);
  }
}

/// Block 0 waits for a block that starts only when block 0 has ended: more blocks than are resident.
template <bool faulty>
__global__ void block_that_is_not_resident(arrays m) {
  const unsigned sender = faulty ? gridDim.x - 1 : 7;
  if (threadIdx.x != 0) return;
  if (blockIdx.x == sender) atomicExch(m.zeros, 1);
  if (blockIdx.x < 8) {
    while (atomicAdd(m.zeros, 0) == 0) {  // fault: block_that_is_not_resident
    }
  }
}

/// A thread waits for one that stands at the block's barrier.
template <bool faulty>
__global__ void wait_before_the_barrier(arrays) {
  __shared__ int flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (!faulty && threadIdx.x == 32) atomicExch(&flag, 1);
  if (threadIdx.x == 0) {
    while (atomicAdd(&flag, 0) == 0) {  // fault: wait_before_the_barrier
    }
  }
  __syncthreads();
  if (faulty && threadIdx.x == 32) atomicExch(&flag, 1);
}

/// A lane waits for another lane of its warp. Before Volta that one never runs on.
template <bool faulty>
__global__ void lane_for_lane(arrays m) {
  __shared__ int flag;
  if (threadIdx.x == 0) flag = 0;
  __syncwarp();
  if (!faulty && threadIdx.x == 1) atomicExch(&flag, 1);
  if (threadIdx.x == 0) {
    while (atomicAdd(&flag, 0) == 0) {  // fault: lane_for_lane
    }
  }
  if (faulty && threadIdx.x == 1) atomicExch(&flag, 1);
  m.out[threadIdx.x] = 1;
}

/// A volatile word that stays as it is.
template <bool faulty>
__global__ void volatile_word(arrays m) {
  const volatile int* const flag = &m.zeros[faulty ? 5 : 0];
  if (blockIdx.x == 0) {
    atomicExch(m.zeros, 1);
  } else {
    while (*flag == 0) {  // fault: volatile_word
    }
  }
}

/// A grid barrier whose count is one too high.
template <bool faulty>
__global__ void count_of_a_barrier(arrays m) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(m.zeros, 1);
    while (atomicAdd(m.zeros, 0) < static_cast<int>(gridDim.x + (faulty ? 1 : 0))) {  // fault: count_of_a_barrier
    }
    __threadfence();
  }
  __syncthreads();
}

/// Waits for two words in turn that nobody changes.
template <bool faulty>
__global__ void two_words_in_turn(arrays m) {
  if (blockIdx.x == 0) {
    if (!faulty) atomicExch(&m.zeros[1], 1);
    return;
  }
  for (;;) {
    if (atomicAdd(&m.zeros[0], 0) != 0) break;  // fault: two_words_in_turn
    if (atomicAdd(&m.zeros[1], 0) != 0) break;  // fault: two_words_in_turn
  }
}

/// A long wait that ends: another block works meanwhile.
__global__ void long_wait(arrays m) {
  if (blockIdx.x == 0) {
    int sum = 0;
    for (int round = 0; round < 5; ++round) {
      for (int i = 0; i < arrays::n; ++i) sum += m.in[i];
    }
    m.scratch[0] = sum / 5;
    __threadfence();
    atomicExch(m.zeros, 1);
  } else {
    while (atomicAdd(m.zeros, 0) == 0) __nanosleep(100);
    __threadfence();
    if (blockIdx.x == 1) m.out[0] = m.scratch[0];
  }
}

const family table =
    family("livelocks", __FILE__)
        .pair("lock_per_lane", lock_per_lane<true>, lock_per_lane<false>, hang,
              {.grid = 2, .block = 64, .faulty_in = models::lock_step})
        .correct("lock_in_rounds", lock_in_rounds, {.grid = 2, .block = 64})
        .pair("rounds_of_a_thread", rounds_of_a_thread<true>, rounds_of_a_thread<false>, hang, {.block = 32})
        .pair("forgotten_flag", forgotten_flag<true>, forgotten_flag<false>, hang, {.grid = 3, .block = 32})
        .pair("wrong_value", wrong_value<true>, wrong_value<false>, hang, {.grid = 4, .block = 32})
        .pair("lock_taken_twice", lock_taken_twice<true>, lock_taken_twice<false>, hang, {})
        .pair("lock_kept", lock_kept<true>, lock_kept<false>, hang, {.grid = 5, .block = 32})
        .pair("two_locks", two_locks<true>, two_locks<false>, hang, {.grid = 2})
        .faulty("two_locks_by_chance", two_locks_by_chance, hang, {.grid = 2})
        .pair("block_that_is_not_resident", block_that_is_not_resident<true>, block_that_is_not_resident<false>,
              hang, {.grid = 12, .block = 1})
        .pair("wait_before_the_barrier", wait_before_the_barrier<true>, wait_before_the_barrier<false>, hang,
              {.block = 64})
        .pair("lane_for_lane", lane_for_lane<true>, lane_for_lane<false>, hang,
              {.block = 32, .result = 1, .faulty_in = models::lock_step})
        .pair("volatile_word", volatile_word<true>, volatile_word<false>, hang, {.grid = 2})
        .pair("count_of_a_barrier", count_of_a_barrier<true>, count_of_a_barrier<false>, hang,
              {.grid = 4, .block = 64})
        .pair("two_words_in_turn", two_words_in_turn<true>, two_words_in_turn<false>, hang, {.grid = 2})
        .correct("long_wait", long_wait, {.grid = 3, .result = arrays::sum});

}  // namespace

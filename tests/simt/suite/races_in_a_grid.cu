// Races between blocks, in global memory.
#include "suite.hpp"

namespace {
using namespace suite;
constexpr auto race = fault_kind::data_race;

__device__ unsigned thread_in_grid() { return blockIdx.x * blockDim.x + threadIdx.x; }

template <bool faulty>
__global__ void counter(arrays m) {
  if (faulty) {
    *m.zeros += 1;  // fault: counter
  } else {
    atomicAdd(m.zeros, 1);
  }
}

/// All count by atomics; one thread reads the count plainly.
template <bool faulty>
__global__ void plain_read_of_a_count(arrays m) {
  atomicAdd(m.zeros, 1);  // fault: plain_read_of_a_count
  if (thread_in_grid() == 40) {
    m.out[0] = faulty ? m.zeros[0] : atomicAdd(m.zeros, 0);  // fault: plain_read_of_a_count
  }
}

/// Volatile is no atomic: the load and the store are two accesses.
template <bool faulty>
__global__ void volatile_counter(arrays m) {
  if (faulty) {
    *static_cast<volatile int*>(m.zeros) = *static_cast<volatile int*>(m.zeros) + 1;  // fault: volatile_counter
  } else {
    atomicAdd(m.zeros, 1);
  }
}

/// A stencil in place reads cells that other blocks have replaced.
template <bool faulty>
__global__ void stencil_in_place(arrays m) {
  const unsigned i = thread_in_grid();
  int* const target = faulty ? m.zeros : m.out;
  if (i < 254) {
    target[i + (faulty ? 1 : 0)] = m.zeros[i] + m.zeros[i + 2];  // fault: stencil_in_place
  }
}

/// Every block stores its sum to the same word.
template <bool faulty>
__global__ void sum_of_each_block(arrays m) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, m.in[thread_in_grid()]);
  __syncthreads();
  if (threadIdx.x == 0) {
    m.out[faulty ? 0 : blockIdx.x] = sum;  // fault: sum_of_each_block
  }
}

/// Ranges of blocks that overlap by one element.
template <bool faulty>
__global__ void ranges(arrays m) {
  const unsigned first = blockIdx.x * 48;
  for (unsigned i = first + threadIdx.x; i < first + (faulty ? 49 : 48); i += blockDim.x) {
    m.scratch[i] = m.in[i];  // fault: ranges
  }
}

/// Reversal in place by pairs, or by every thread for itself.
template <bool faulty>
__global__ void reverse_in_place(arrays m) {
  const unsigned i = thread_in_grid();
  if (faulty) {
    m.zeros[i] = m.zeros[191 - i];  // fault: reverse_in_place
  } else if (i < 96) {
    const int x = m.zeros[i];
    m.zeros[i] = m.zeros[191 - i], m.zeros[191 - i] = x;
  }
}

/// Block k adds the sum of block k - 1, which may not be stored yet.
template <bool faulty>
__global__ void carry(arrays m) {
  if (threadIdx.x != 0) return;
  int before = 0;
  if (blockIdx.x > 0) {
    if (!faulty) {
      while (atomicAdd(&m.zeros[blockIdx.x - 1], 0) == 0) {
      }
      __threadfence();
    }
    before = m.scratch[blockIdx.x - 1];  // fault: carry
  }
  m.scratch[blockIdx.x] = before + m.in[blockIdx.x];  // fault: carry
  if (!faulty) {
    __threadfence();
    atomicExch(&m.zeros[blockIdx.x], 1);
    if (blockIdx.x == gridDim.x - 1) m.out[0] = m.scratch[blockIdx.x];
  }
}

/// Two locks for one datum exclude nobody.
template <bool faulty>
__global__ void two_locks(arrays m) {
  if (threadIdx.x != 0) return;
  int* const mutex = &m.zeros[faulty ? blockIdx.x % 2 : 0];
  while (atomicCAS(mutex, 0, 1) != 0) {
  }
  __threadfence();
  m.zeros[9] += 1;  // fault: two_locks
  __threadfence();
  atomicExch(mutex, 0);
}

/// The writers hold the lock, the reader does not.
template <bool faulty>
__global__ void reader_without_lock(arrays m) {
  if (threadIdx.x != 0) return;
  const bool reads = blockIdx.x == gridDim.x - 1;
  if (faulty && reads) {
    m.out[0] = m.zeros[9];  // fault: reader_without_lock
    return;
  }
  while (atomicCAS(m.zeros, 0, 1) != 0) {
  }
  __threadfence();
  if (reads) {
    m.out[0] = m.zeros[9];
  } else {
    m.zeros[9] += 1;  // fault: reader_without_lock
  }
  __threadfence();
  atomicExch(m.zeros, 0);
}

/// The lock is released by a plain store.
template <bool faulty>
__global__ void plain_release(arrays m) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(m.zeros, 0, 1) != 0) {  // fault: plain_release
  }
  __threadfence();
  m.zeros[9] += 1;  // fault: plain_release
  __threadfence();
  if (faulty) {
    m.zeros[0] = 0;  // fault: plain_release
  } else {
    atomicExch(m.zeros, 0);
  }
}

/// Initialisation by the first who needs it, tested by a plain read.
template <bool faulty>
__global__ void double_checked(arrays m) {
  if (threadIdx.x != 0) return;
  if ((faulty ? m.zeros[1] : atomicAdd(&m.zeros[1], 0)) == 0) {  // fault: double_checked
    while (atomicCAS(m.zeros, 0, 1) != 0) {
    }
    __threadfence();
    if (faulty) {
      if (m.zeros[1] == 0) m.zeros[9] = 5, m.zeros[1] = 1;  // fault: double_checked
    } else if (atomicAdd(&m.zeros[1], 0) == 0) {
      m.zeros[9] = 5;
      __threadfence();
      atomicExch(&m.zeros[1], 1);
    }
    __threadfence();
    atomicExch(m.zeros, 0);
  }
  __threadfence();
  m.out[blockIdx.x] = m.zeros[9];  // fault: double_checked
}

/// Block 0 resets the counter that the other blocks still raise.
template <bool faulty>
__global__ void reset_by_block_0(arrays m) {
  if (threadIdx.x != 0) return;
  if (faulty && blockIdx.x == 0) {
    m.zeros[0] = 0;  // fault: reset_by_block_0
  }
  atomicAdd(&m.zeros[0], 1);  // fault: reset_by_block_0
}

/// Positions in the output from an atomic counter, or from a plain one.
template <bool faulty>
__global__ void compaction(arrays m) {
  const unsigned i = thread_in_grid();
  if (m.in[i] % 3 != 0) return;
  int position;
  if (faulty) {
    position = m.zeros[0], m.zeros[0] = position + 1;  // fault: compaction
  } else {
    position = atomicAdd(m.zeros, 1);
  }
  m.out[position] = m.in[i];  // fault: compaction
}

/// Threads wait for a plain flag.
template <bool faulty>
__global__ void plain_flag(arrays m) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    m.scratch[0] = 7;  // fault: plain_flag
    __threadfence();
    if (faulty) {
      m.zeros[0] = 1;  // fault: plain_flag
    } else {
      atomicExch(m.zeros, 1);
    }
  } else if ((faulty ? m.zeros[0] : atomicAdd(m.zeros, 0)) != 0) {  // fault: plain_flag
    __threadfence();
    m.out[blockIdx.x] = m.scratch[0];  // fault: plain_flag
  }
}

/// The same constant stored by all: formally a race, whatever comes out.
template <bool faulty>
__global__ void same_constant(arrays m) {
  if (faulty || thread_in_grid() == 0) {
    m.out[0] = 1;  // fault: same_constant
  }
}

/// 64-bit words that two blocks share by halves.
template <bool faulty>
__global__ void halves_of_a_word(arrays m) {
  auto* const word = reinterpret_cast<long long*>(m.zeros);
  if (threadIdx.x != 0) return;
  if (faulty && blockIdx.x == 0) {
    *word = 5;  // fault: halves_of_a_word
  } else if (blockIdx.x < 2) {
    m.zeros[blockIdx.x] = 6;  // fault: halves_of_a_word
  }
}

/// Lists of blocks, linked by atomic exchange of the head: no race.
__global__ void linked_list(arrays m) {
  const auto i = static_cast<int>(thread_in_grid());
  m.scratch[i] = atomicExch(m.zeros, i + 1);
}

/// Tickets from an atomic counter give each thread a place of its own.
__global__ void tickets(arrays m) {
  const int ticket = atomicAdd(m.zeros, 1);
  m.out[ticket] = ticket;
}

/// The owner of a key is who exchanges it first; the others leave.
__global__ void first_come(arrays m) {
  const int key = m.in[thread_in_grid()] % 16;
  if (atomicCAS(&m.zeros[key], 0, 1) == 0) m.out[key] = key;
}

const family table =
    family("races in a grid", __FILE__)
        .pair("counter", counter<true>, counter<false>, race, {.grid = 4, .block = 40})
        .pair("plain_read_of_a_count", plain_read_of_a_count<true>, plain_read_of_a_count<false>, race,
              {.grid = 3, .block = 32})
        .pair("volatile_counter", volatile_counter<true>, volatile_counter<false>, race, {.grid = 4, .block = 32})
        .pair("stencil_in_place", stencil_in_place<true>, stencil_in_place<false>, race, {.grid = 4, .block = 64})
        .pair("sum_of_each_block", sum_of_each_block<true>, sum_of_each_block<false>, race,
              {.grid = 4, .block = 64, .result = 2016})
        .pair("ranges", ranges<true>, ranges<false>, race, {.grid = 4, .block = 32})
        .pair("reverse_in_place", reverse_in_place<true>, reverse_in_place<false>, race, {.grid = 3, .block = 64})
        .pair("carry", carry<true>, carry<false>, race, {.grid = 6, .block = 32, .result = 15})
        .pair("two_locks", two_locks<true>, two_locks<false>, race, {.grid = 6, .block = 32})
        .pair("reader_without_lock", reader_without_lock<true>, reader_without_lock<false>, race,
              {.grid = 5, .block = 1})
        .pair("plain_release", plain_release<true>, plain_release<false>, race, {.grid = 5, .block = 1})
        .pair("double_checked", double_checked<true>, double_checked<false>, race,
              {.grid = 5, .block = 1, .result = 5})
        .pair("reset_by_block_0", reset_by_block_0<true>, reset_by_block_0<false>, race, {.grid = 5, .block = 1})
        .pair("compaction", compaction<true>, compaction<false>, race, {.grid = 4, .block = 48})
        .pair("plain_flag", plain_flag<true>, plain_flag<false>, race, {.grid = 4, .block = 1})
        .pair("same_constant", same_constant<true>, same_constant<false>, race,
              {.grid = 2, .block = 32, .result = 1})
        .pair("halves_of_a_word", halves_of_a_word<true>, halves_of_a_word<false>, race, {.grid = 2, .block = 1})
        .correct("linked_list", linked_list, {.grid = 4, .block = 40})
        .correct("tickets", tickets, {.grid = 4, .block = 40, .result = 0})
        .correct("first_come", first_come, {.grid = 4, .block = 40, .result = 0});

}  // namespace

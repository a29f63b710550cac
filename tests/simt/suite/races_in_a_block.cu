// Races between warps of a block, in shared and in global memory.
#include "suite.hpp"

namespace {
using namespace suite;
constexpr auto race = fault_kind::data_race;

/// A shared tree of 128 threads. 1: no barrier after the first store; 2: none between the levels.
template <int fault>
__global__ void tree(arrays m) {
  __shared__ int sums[128];
  const unsigned i = threadIdx.x;
  sums[i] = m.in[i];  // fault: tree_first_barrier
  if (fault != 1) __syncthreads();
  for (unsigned half = 64; half > 0; half /= 2) {
    if (i < half) {
      sums[i] += sums[i + half];  // fault: tree_first_barrier, tree_levels
    }
    if (fault != 2) __syncthreads();
  }
  if (i == 0) m.out[0] = sums[0];
}

/// Each round sums a tile; the next one overwrites it.
template <bool faulty>
__global__ void next_tile(arrays m) {
  __shared__ int tile[64];
  int sum = 0;
  for (unsigned round = 0; round < 4; ++round) {
    tile[threadIdx.x] = m.in[round * 64 + threadIdx.x];  // fault: next_tile
    __syncthreads();
    sum += tile[63 - threadIdx.x];  // fault: next_tile
    if (!faulty) __syncthreads();
  }
  m.out[threadIdx.x] = sum;
}

/// Two tiles in turn need one barrier per round; one tile needs two.
template <bool faulty>
__global__ void two_tiles(arrays m) {
  __shared__ int tiles[2][64];
  int sum = 0;
  for (unsigned round = 0; round < 6; ++round) {
    int* const tile = tiles[faulty ? 0 : round % 2];
    tile[threadIdx.x] = m.in[round * 64 + threadIdx.x];  // fault: two_tiles
    __syncthreads();
    sum += tile[63 - threadIdx.x];  // fault: two_tiles
  }
  m.out[threadIdx.x] = sum;
}

template <bool faulty>
__global__ void broadcast(arrays m) {
  __shared__ int total;
  if (threadIdx.x == 0) total = m.in[5];  // fault: broadcast
  if (!faulty) __syncthreads();
  m.out[threadIdx.x] = total;  // fault: broadcast
}

template <bool faulty>
__global__ void histogram(arrays m) {
  __shared__ int bins[8];
  if (threadIdx.x < 8) bins[threadIdx.x] = 0;
  __syncthreads();
  for (unsigned i = threadIdx.x; i < arrays::n; i += blockDim.x) {
    if (faulty) {
      bins[m.in[i] % 8] += 1;  // fault: histogram
    } else {
      atomicAdd(&bins[m.in[i] % 8], 1);
    }
  }
  __syncthreads();
  if (threadIdx.x < 8) m.out[threadIdx.x] = bins[threadIdx.x];
}

/// The bins are cleared, but no barrier keeps the first counts after that.
template <bool faulty>
__global__ void cleared_bins(arrays m) {
  __shared__ int bins[40];
  if (threadIdx.x < 40) bins[threadIdx.x] = 0;  // fault: cleared_bins
  if (!faulty) __syncthreads();
  atomicAdd(&bins[39 - threadIdx.x % 40], 1);  // fault: cleared_bins
  __syncthreads();
  if (threadIdx.x < 40) m.out[threadIdx.x] = bins[threadIdx.x];
}

template <bool faulty>
__global__ void transpose(arrays m) {
  __shared__ int tile[8][9];
  const unsigned x = threadIdx.x, y = threadIdx.y;
  tile[y][x] = m.in[y * 8 + x];  // fault: transpose
  if (!faulty) __syncthreads();
  m.out[y * 8 + x] = tile[x][y];  // fault: transpose
}

/// A stencil with a halo that the first and the last thread fetch.
template <bool faulty>
__global__ void stencil(arrays m) {
  __shared__ int cells[66];
  const unsigned i = threadIdx.x;
  cells[i + 1] = m.in[64 + i];  // fault: stencil
  if (i == 0) cells[0] = m.in[63];
  if (i == 63) cells[65] = m.in[128];
  if (!faulty) __syncthreads();
  m.out[i] = cells[i] + cells[i + 1] + cells[i + 2];  // fault: stencil
}

/// Scan with one buffer: the read of a step races with its write.
template <bool faulty>
__global__ void block_scan(arrays m) {
  __shared__ int sums[64];
  const unsigned i = threadIdx.x;
  sums[i] = m.in[i];
  __syncthreads();
  for (unsigned distance = 1; distance < 64; distance *= 2) {
    const int left = i >= distance ? sums[i - distance] : 0;  // fault: block_scan
    if (!faulty) __syncthreads();
    sums[i] += left;  // fault: block_scan
    __syncthreads();
  }
  m.out[63 - i] = sums[i];
}

/// Scan with two buffers: one barrier a step.
__global__ void block_scan_of_two_buffers(arrays m) {
  __shared__ int sums[2][64];
  const unsigned i = threadIdx.x;
  unsigned from = 0;
  sums[0][i] = m.in[i];
  __syncthreads();
  for (unsigned distance = 1; distance < 64; distance *= 2, from ^= 1U) {
    sums[from ^ 1U][i] = sums[from][i] + (i >= distance ? sums[from][i - distance] : 0);
    __syncthreads();
  }
  m.out[63 - i] = sums[from][i];
}

/// A thread of another warp reads first; many reads of the writer's own warp follow, which it is ordered after.
template <bool faulty>
__global__ void early_reader(arrays m) {
  __shared__ int word;
  if (threadIdx.x == 0) word = 7;
  __syncthreads();
  if (threadIdx.x == 40) m.out[1] = word;  // fault: early_reader
  if (!faulty) __syncthreads();
  if (threadIdx.x < 32) {
    m.out[threadIdx.x + 32] = word;
    __syncwarp();
    if (threadIdx.x == 0) word = 8;  // fault: early_reader
  }
}

/// The counter of a round is reset while others may still read it.
template <bool faulty>
__global__ void reset_counter(arrays m) {
  __shared__ int count;
  int total = 0;
  for (int round = 0; round < 3; ++round) {
    if (threadIdx.x == 0) count = 0;  // fault: reset_counter
    __syncthreads();
    if (m.in[threadIdx.x] % 3 == round) atomicAdd(&count, 1);
    __syncthreads();
    total += count;  // fault: reset_counter
    if (!faulty) __syncthreads();
  }
  m.out[threadIdx.x] = total;
}

/// Bits of one word, set by several threads.
template <bool faulty>
__global__ void bit_set(arrays m) {
  __shared__ unsigned bits;
  if (threadIdx.x == 0) bits = 0;
  __syncthreads();
  if (faulty) {
    bits |= 1U << threadIdx.x % 32;  // fault: bit_set
  } else {
    atomicOr(&bits, 1U << threadIdx.x % 32);
  }
  __syncthreads();
  if (threadIdx.x == 0) m.out[0] = static_cast<int>(bits);
}

struct pair_of_words {
  int x, y;
};
/// Whole structs are copied, one of whose members another thread writes.
template <bool faulty>
__global__ void struct_copy(arrays m) {
  __shared__ pair_of_words pairs[64];
  const unsigned i = threadIdx.x;
  pairs[i] = {m.in[i], 0};
  __syncthreads();
  const unsigned next = (i + 1) % 64;
  if (faulty || i % 2 == 0) {
    const pair_of_words copy = pairs[next];  // fault: struct_copy
    m.out[i] = copy.x + copy.y;
  }
  if (faulty || i % 2 == 0) pairs[i].y = 1;  // fault: struct_copy
}

/// Threads of a column exchange values through global memory.
template <bool faulty>
__global__ void column_exchange(arrays m) {
  const unsigned x = threadIdx.x, y = threadIdx.y;
  m.scratch[y * 16 + x] = m.in[y * 16 + x];  // fault: column_exchange
  if (!faulty) __syncthreads();
  m.out[y * 16 + x] = m.scratch[(7 - y) * 16 + x];  // fault: column_exchange
}

/// Thread 0 decides for the block.
template <bool faulty>
__global__ void decision(arrays m) {
  __shared__ bool stop;
  int i = 0;
  for (;; ++i) {
    if (threadIdx.x == 0) stop = m.in[i] == 3;  // fault: decision
    __syncthreads();                            // fault: decision
    if (stop) break;                            // fault: decision
    if (!faulty) __syncthreads();
  }
  m.out[threadIdx.x] = i;
}

/// Accumulators in shared memory, one a thread: no race without any barrier.
__global__ void private_words(arrays m) {
  __shared__ int sums[64];
  sums[threadIdx.x] = 0;
  for (unsigned i = threadIdx.x; i < arrays::n; i += 64) sums[threadIdx.x] += m.in[i];
  atomicAdd(m.zeros, sums[threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) m.out[0] = atomicAdd(m.zeros, 0);
}

/// Odd-even sort; each phase exchanges other pairs.
template <bool faulty>
__global__ void odd_even_sort(arrays m) {
  __shared__ int keys[64];
  const unsigned i = threadIdx.x;
  for (unsigned k = i; k < 64; k += 48) keys[k] = 63 - m.in[k];
  __syncthreads();
  for (unsigned phase = 0; phase < 64; ++phase) {
    const unsigned left = 2 * i + phase % 2;
    if (i < 32 && left + 1 < 64) {
      const int x = keys[left], y = keys[left + 1];   // fault: odd_even_sort
      if (x > y) keys[left] = y, keys[left + 1] = x;  // fault: odd_even_sort
    }
    if (!faulty || phase % 8 != 7) __syncthreads();
  }
  if (i == 0) m.out[0] = keys[9];
}

const family table =
    family("races in a block", __FILE__)
        .pair("tree_first_barrier", tree<1>, tree<0>, race, {.block = 128, .result = 8128})
        .faulty("tree_levels", tree<2>, race, {.block = 128})
        .pair("next_tile", next_tile<true>, next_tile<false>, race, {.block = 64})
        .pair("two_tiles", two_tiles<true>, two_tiles<false>, race, {.block = 64})
        .pair("broadcast", broadcast<true>, broadcast<false>, race, {.block = 96, .result = 5})
        .pair("histogram", histogram<true>, histogram<false>, race, {.block = 96, .result = 126})
        .pair("cleared_bins", cleared_bins<true>, cleared_bins<false>, race, {.block = 80, .result = 2})
        .pair("transpose", transpose<true>, transpose<false>, race, {.block = {8, 8}})
        .pair("stencil", stencil<true>, stencil<false>, race, {.block = 64, .result = 192})
        .pair("block_scan", block_scan<true>, block_scan<false>, race, {.block = 64, .result = 2016})
        .correct("block_scan_of_two_buffers", block_scan_of_two_buffers, {.block = 64, .result = 2016})
        .pair("early_reader", early_reader<true>, early_reader<false>, race, {.block = 64})
        .pair("reset_counter", reset_counter<true>, reset_counter<false>, race, {.block = 96, .result = 96})
        .pair("bit_set", bit_set<true>, bit_set<false>, race, {.block = 64, .result = -1})
        .pair("struct_copy", struct_copy<true>, struct_copy<false>, race, {.block = 64})
        .pair("column_exchange", column_exchange<true>, column_exchange<false>, race, {.block = {16, 8}})
        .pair("decision", decision<true>, decision<false>, race, {.block = 64, .result = 3})
        .correct("private_words", private_words, {.block = 64, .result = arrays::sum})
        .pair("odd_even_sort", odd_even_sort<true>, odd_even_sort<false>, race,
              {.block = 48, .result = 9, .faulty_in = models::independent});

}  // namespace

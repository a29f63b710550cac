// Whole algorithms: single-pass sums, scans with look-back, grid barriers, cooperative tiles; correct, and with one
// mistake each.
#include "suite.hpp"

namespace {
using namespace suite;
constexpr auto race = fault_kind::data_race;
constexpr unsigned all = 0xffffffffU;

__device__ int warp_sum(int x) {
  for (int half = 16; half > 0; half /= 2) x += __shfl_down_sync(all, x, half);  // fault: single_pass_barrier
  return x;
}

/// Sum of the block, valid in thread 0. `slots`: one word a warp.
__device__ int block_sum(int x, int* slots) {
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = (blockDim.x + 31) / 32;
  x = warp_sum(x);
  if (lane == 0) slots[warp] = x;             // fault: single_pass_barrier
  __syncthreads();                            // fault: single_pass_barrier
  x = threadIdx.x < warps ? slots[lane] : 0;  // fault: single_pass_barrier
  if (warp == 0) x = warp_sum(x);
  return x;
}

/// Single pass: partial sums, fence, counter; the last block adds them with all its threads. 1: thread 0's fence is
/// missing; 2: no barrier between the counter and the reads of the other threads.
template <int fault>
__global__ void single_pass(arrays m) {
  __shared__ int slots[32];
  __shared__ bool is_last;
  int x = 0;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < arrays::n; i += gridDim.x * blockDim.x) x += m.in[i];
  x = block_sum(x, slots);
  if (threadIdx.x == 0) {
    m.scratch[blockIdx.x] = x;  // fault: single_pass_fence, single_pass_barrier
    if (fault != 1) __threadfence();
    is_last = atomicAdd(m.zeros, 1) == static_cast<int>(gridDim.x) - 1;  // fault: single_pass_barrier
    if (fault != 1) __threadfence();
  }
  if (fault != 2) __syncthreads();
  if (!is_last) return;                                      // fault: single_pass_barrier
  x = threadIdx.x < gridDim.x ? m.scratch[threadIdx.x] : 0;  // fault: single_pass_fence, single_pass_barrier
  x = block_sum(x, slots);
  if (threadIdx.x == 0) m.out[0] = x;
}

/// The same slots in two sums in a row: the second overtakes the first one's readers.
template <bool faulty>
__global__ void two_sums(arrays m) {
  __shared__ int slots[4];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int total = 0;
  for (unsigned round = 0; round < 3; ++round) {
    const int x = warp_sum(m.in[round * 128 + threadIdx.x]);
    if (lane == 0) slots[warp] = x;  // fault: two_sums
    __syncthreads();
    for (unsigned i = 0; i < 4; ++i) total += slots[i];  // fault: two_sums
    if (!faulty) __syncthreads();
  }
  m.out[threadIdx.x] = total;
}

constexpr int empty = 0, has_sum = 1, has_prefix = 2;
/// Scan in one pass with decoupled look-back: each block publishes its sum, then its prefix, as a value and a flag
/// in two words. 1: the value is published without a fence; 2: it is read without one.
template <int fault>
__global__ void look_back(arrays m) {
  __shared__ int slots[32], prefix, ticket;
  int* const flags = m.zeros + 64;
  int* const sums = m.scratch;
  int* const prefixes = m.scratch + 64;
  if (threadIdx.x == 0) ticket = atomicAdd(m.zeros, 1);
  __syncthreads();
  const int tile = ticket;
  const int i = tile * static_cast<int>(blockDim.x) + static_cast<int>(threadIdx.x);
  const int x = i < arrays::n ? m.in[i] : 0;
  const int sum = block_sum(x, slots);
  if (threadIdx.x == 0) {
    sums[tile] = sum;  // fault: look_back_published, look_back_read
    if (fault != 1) __threadfence();
    atomicExch(&flags[tile], has_sum);
    int before = 0;
    for (int other = tile - 1; other >= 0; --other) {
      int flag = empty;
      while ((flag = atomicAdd(&flags[other], 0)) == empty) {
      }
      if (fault != 2) __threadfence();
      if (flag == has_prefix) {
        before += prefixes[other];  // fault: look_back_published, look_back_read
        break;
      }
      before += sums[other];  // fault: look_back_published, look_back_read
    }
    prefixes[tile] = before + sum;  // fault: look_back_published, look_back_read
    if (fault != 1) __threadfence();
    atomicExch(&flags[tile], has_prefix);
    prefix = before;
  }
  __syncthreads();
  if (i == arrays::n - 1) m.out[0] = prefix;
}

/// The same with value and flag in one 64-bit word, which needs no fence.
__global__ void look_back_in_words(arrays m) {
  __shared__ int slots[32], tile;
  auto* const words = reinterpret_cast<unsigned long long*>(m.zeros + 64);
  if (threadIdx.x == 0) tile = atomicAdd(m.zeros, 1);
  __syncthreads();
  const int i = tile * static_cast<int>(blockDim.x) + static_cast<int>(threadIdx.x);
  const int sum = block_sum(i < arrays::n ? m.in[i] : 0, slots);
  if (threadIdx.x != 0) return;
  const auto pack = [](int flag, int value) {
    return static_cast<unsigned long long>(flag) << 32 | static_cast<unsigned>(value);
  };
  atomicExch(&words[tile], pack(has_sum, sum));
  int before = 0;
  for (int other = tile - 1; other >= 0; --other) {
    unsigned long long word = 0;
    while ((word = atomicAdd(&words[other], 0ULL)) == 0) {
    }
    before += static_cast<int>(word);
    if (word >> 32 == has_prefix) break;
  }
  atomicExch(&words[tile], pack(has_prefix, before + sum));
  if (tile == static_cast<int>(gridDim.x) - 1) m.out[0] = before + sum;
}

/// A barrier of all blocks by a counter. 1: without the fences; 2: the arrival does not wait for the block.
template <int fault>
__device__ void grid_barrier(int* counter, int round) {
  if (fault != 2) __syncthreads();
  if (threadIdx.x == 0) {
    if (fault != 1) __threadfence();
    atomicAdd(counter, 1);
    while (atomicAdd(counter, 0) < round * static_cast<int>(gridDim.x)) {
    }
    if (fault != 1) __threadfence();
  }
  __syncthreads();
}

/// Two arrays in turn, each round a stencil over all blocks.
template <int fault>
__global__ void stencil_rounds(arrays m) {
  const unsigned n = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  int *from = m.scratch, *to = m.scratch + 512;
  from[i] = m.in[i];  // fault: grid_barrier_fences, grid_barrier_arrival
  for (int round = 1; round <= 3; ++round) {
    grid_barrier<fault>(m.zeros, round);
    to[i] = from[(i + n - 1) % n] + from[(i + 1) % n];  // fault: grid_barrier_fences, grid_barrier_arrival
    int* const swapped = from;
    from = to, to = swapped;
  }
  m.out[i] = from[i];
}

/// The product of two matrices by tiles. 1: no barrier before the product; 2: none after it.
template <int fault>
__global__ void matrix_product(arrays m) {
  constexpr unsigned n = 16, tile = 8;
  __shared__ int a[tile][tile], b[tile][tile];
  const unsigned x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * tile + x, row = blockIdx.y * tile + y;
  int sum = 0;
  for (unsigned k = 0; k < n; k += tile) {
    a[y][x] = m.in[row * n + k + x];       // fault: product_before, product_after
    b[y][x] = m.in[(k + y) * n + column];  // fault: product_before, product_after
    if (fault != 1) __syncthreads();
    for (unsigned j = 0; j < tile; ++j) {
      sum += a[y][j] * b[j][x];  // fault: product_before, product_after
    }
    if (fault != 2) __syncthreads();
  }
  m.out[row * n + column] = sum;
}

/// Bitonic sort of 128 keys. Faulty: no barrier after the last pass of a size.
template <bool faulty>
__global__ void bitonic_sort(arrays m) {
  __shared__ int keys[128];
  const unsigned i = threadIdx.x;
  keys[i] = (m.in[i] * 37) % 128;
  __syncthreads();
  for (unsigned size = 2; size <= 128; size *= 2) {
    for (unsigned distance = size / 2; distance > 0; distance /= 2) {
      const unsigned other = i ^ distance;
      if (other > i) {
        const int x = keys[i], y = keys[other];                          // fault: bitonic_sort
        if ((x > y) == ((i & size) == 0)) keys[i] = y, keys[other] = x;  // fault: bitonic_sort
      }
      if (!faulty || distance != 1) __syncthreads();
    }
  }
  __syncthreads();
  m.out[i] = keys[i];
}

/// Sums of segments: a warp a segment, of ragged lengths; the boundaries come from the data.
__global__ void segment_sums(arrays m) {
  const unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  const int first = m.in[warp * 13], last = warp == 15 ? arrays::n : m.in[(warp + 1) * 13];
  int sum = 0;
  for (int i = first + static_cast<int>(lane); i < last; i += 32) sum += m.in[i];
  sum = warp_sum(sum);
  if (lane == 0) atomicAdd(m.zeros, sum);
}

/// A scan of a block by warps: shuffles, one word a warp, a second scan.
__global__ void shuffle_scan(arrays m) {
  __shared__ int sums[4];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int x = m.in[threadIdx.x];
  for (unsigned distance = 1; distance < 32; distance *= 2) {
    const int left = __shfl_up_sync(all, x, distance);
    if (lane >= distance) x += left;
  }
  if (lane == 31) sums[warp] = x;
  __syncthreads();
  if (warp == 0 && lane < 4) {
    int sum = sums[lane];
    for (unsigned distance = 1; distance < 4; distance *= 2) {
      const int left = __shfl_up_sync(0xfU, sum, distance);
      if (lane >= distance) sum += left;
    }
    sums[lane] = sum;
  }
  __syncthreads();
  if (warp != 0) x += sums[warp - 1];
  m.out[127 - threadIdx.x] = x;
}

const family table =
    family("sums and scans", __FILE__)
        .pair("single_pass_fence", single_pass<1>, single_pass<0>, race,
              {.grid = 6, .block = 96, .result = arrays::sum})
        .faulty("single_pass_barrier", single_pass<2>, race, {.grid = 4, .block = 64})
        .pair("two_sums", two_sums<true>, two_sums<false>, race, {.block = 128, .result = 384 * 383 / 2})
        .pair("look_back_published", look_back<1>, look_back<0>, race, {.grid = 16, .block = 64, .result = 460320})
        .faulty("look_back_read", look_back<2>, race, {.grid = 16, .block = 64})
        .correct("look_back_in_words", look_back_in_words, {.grid = 16, .block = 64, .result = arrays::sum})
        .pair("grid_barrier_fences", stencil_rounds<1>, stencil_rounds<0>, race, {.grid = 4, .block = 48})
        .faulty("grid_barrier_arrival", stencil_rounds<2>, race, {.grid = 4, .block = 48})
        .pair("product_before", matrix_product<1>, matrix_product<0>, race,
              {.grid = {2, 2}, .block = {8, 8}, .result = 19840})
        .faulty("product_after", matrix_product<2>, race, {.grid = {2, 2}, .block = {8, 8}})
        .pair("bitonic_sort", bitonic_sort<true>, bitonic_sort<false>, race, {.block = 128, .result = 0})
        .correct("segment_sums", segment_sums, {.grid = 4, .block = 128})
        .correct("shuffle_scan", shuffle_scan, {.block = 128, .result = 8128});

}  // namespace

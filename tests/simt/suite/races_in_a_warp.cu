// Races between lanes of a warp. Most exist with independent threads only: in lock step a warp's steps are ordered.
#include "suite.hpp"

namespace {
using namespace suite;
constexpr shape one_warp{.block = 32, .faulty_in = models::independent};

template <bool faulty>
__global__ void neighbours(arrays m) {
  __shared__ int values[32];
  values[threadIdx.x] = m.in[threadIdx.x];  // fault: neighbours
  if (!faulty) __syncwarp();
  m.out[threadIdx.x] = values[(threadIdx.x + 1) % 32];  // fault: neighbours
}

/// The last warp of a tree, unrolled as texts before Volta print it.
template <bool faulty>
__global__ void warp_tail(arrays m) {
  __shared__ int sums[64];
  const unsigned lane = threadIdx.x;
  sums[lane] = m.in[lane];            // fault: warp_tail
  sums[lane + 32] = m.in[lane + 32];  // fault: warp_tail
  for (unsigned half = 32; half > 0; half /= 2) {
    if (faulty) {
      sums[lane] += sums[lane + half];  // fault: warp_tail
    } else {
      __syncwarp();
      const int sum = sums[lane] + sums[lane + half];
      __syncwarp();
      sums[lane] = sum;
    }
  }
  if (lane == 0) m.out[0] = sums[0];
}

/// Two lanes store to one word in one step: which one stays is undefined in both models.
template <bool faulty>
__global__ void same_word(arrays m) {
  __shared__ unsigned last;
  if (faulty ? threadIdx.x < 2 : threadIdx.x == 1) {
    last = threadIdx.x;  // fault: same_word
  }
  __syncwarp();
  if (threadIdx.x == 0) m.out[0] = static_cast<int>(last);
}

/// The mask names the lower half only; the upper half reads too.
template <bool faulty>
__global__ void half_mask(arrays m) {
  __shared__ int values[16];
  const unsigned lane = threadIdx.x;
  if (lane < 16) values[lane] = m.in[lane];  // fault: half_mask
  if (!faulty) {
    __syncwarp();
  } else if (lane < 16) {
    __syncwarp(0x0000ffffU);
  }
  m.out[lane] = values[15 - lane % 16];  // fault: half_mask
}

/// A shuffle, a vote and a reduction transfer values and order no memory.
template <int collective>
__global__ void no_barrier(arrays m) {
  __shared__ int values[32];
  const unsigned lane = threadIdx.x;
  values[lane] = m.in[lane];  // fault: shuffle_as_barrier, vote_as_barrier, reduction_as_barrier
  int other = 0;
  if (collective == 0) __syncwarp();
  if (collective == 1) other = __shfl_sync(0xffffffffU, static_cast<int>(lane), 0);
  if (collective == 2) other = __any_sync(0xffffffffU, 0);
  if (collective == 3) other = static_cast<int>(__reduce_min_sync(0xffffffffU, lane));
  m.out[lane] = values[31 - lane] + other;  // fault: shuffle_as_barrier, vote_as_barrier, reduction_as_barrier
}

/// Inclusive scan in place: each step reads what another lane overwrites in the same step.
template <bool faulty>
__global__ void warp_scan(arrays m) {
  __shared__ int sums[32];
  const unsigned lane = threadIdx.x;
  sums[lane] = m.in[lane];  // fault: warp_scan
  __syncwarp();
  for (unsigned distance = 1; distance < 32; distance *= 2) {
    const int left = lane >= distance ? sums[lane - distance] : 0;  // fault: warp_scan
    if (!faulty) __syncwarp();
    sums[lane] += left;  // fault: warp_scan
    __syncwarp();
  }
  if (lane == 31) m.out[0] = sums[31];
}

/// One half writes, the other reads, without a barrier between the branches. In lock step the order of the branches
/// is the compiler's.
template <bool faulty>
__global__ void two_branches(arrays m) {
  __shared__ int values[16];
  const unsigned lane = threadIdx.x;
  if (lane < 16) {
    values[lane] = m.in[lane];  // fault: two_branches
  }
  if (!faulty) __syncwarp();
  if (lane >= 16) {
    m.out[lane] = values[lane - 16];  // fault: two_branches
  }
}

/// Lane 0 broadcasts a word per round; the word is overwritten while others may still read it.
template <bool faulty>
__global__ void broadcast_slot(arrays m) {
  __shared__ int slot;
  int sum = 0;
  for (int round = 0; round < 4; ++round) {
    if (threadIdx.x == 0) slot = m.in[round];  // fault: broadcast_slot
    __syncwarp();
    sum += slot;  // fault: broadcast_slot
    if (!faulty) __syncwarp();
  }
  m.out[threadIdx.x] = sum;
}

/// Lane 0 collects what all lanes have stored in global memory.
template <bool faulty>
__global__ void leader_collects(arrays m) {
  m.scratch[threadIdx.x] = m.in[threadIdx.x];  // fault: leader_collects
  if (!faulty) __syncwarp();
  if (threadIdx.x != 0) return;
  int sum = 0;
  for (int i = 0; i < 32; ++i) sum += m.scratch[i];  // fault: leader_collects
  m.out[0] = sum;
}

/// Each warp has a slice of shared memory and needs no block barrier, if the slices do not overlap.
template <unsigned lanes_per_slice>
__global__ void warp_slices(arrays m) {
  __shared__ int values[96];
  const unsigned first = threadIdx.x / 32 * lanes_per_slice, lane = threadIdx.x % 32;
  values[first + lane] = m.in[threadIdx.x];  // fault: warp_slices
  __syncwarp();
  m.out[threadIdx.x] = values[first + (lane ^ 1U)];  // fault: warp_slices
}

/// Bytes of one word, written by four lanes.
__global__ void bytes_of_a_word(arrays m) {
  __shared__ unsigned char bytes[32];
  bytes[threadIdx.x] = static_cast<unsigned char>(threadIdx.x + 1);
  __syncwarp();
  if (threadIdx.x < 8) m.out[threadIdx.x] = reinterpret_cast<const int*>(bytes)[threadIdx.x];
}

/// A word is stored while another lane stores one of its bytes.
template <bool faulty>
__global__ void byte_and_word(arrays m) {
  __shared__ __align__(4) unsigned char bytes[4];
  if (threadIdx.x == 0) *reinterpret_cast<int*>(bytes) = 0;  // fault: byte_and_word
  if (!faulty) __syncwarp();
  if (threadIdx.x == 1) bytes[2] = 1;  // fault: byte_and_word
  __syncwarp();
  if (threadIdx.x == 0) m.out[0] = *reinterpret_cast<int*>(bytes);
}

/// A transposition of 8 x 4 elements through shared memory within a warp.
template <bool faulty>
__global__ void warp_transpose(arrays m) {
  __shared__ int tile[8][5];
  const unsigned lane = threadIdx.x;
  for (int round = 0; round < 3; ++round) {
    tile[lane / 4][lane % 4] = m.in[round * 32 + static_cast<int>(lane)];  // fault: warp_transpose
    __syncwarp();
    m.out[round * 32 + static_cast<int>(lane)] = tile[lane % 8][lane / 8];  // fault: warp_transpose
    if (!faulty) __syncwarp();
  }
}

const family table =
    family("races in a warp", __FILE__)
        .pair("neighbours", neighbours<true>, neighbours<false>, fault_kind::data_race, one_warp)
        .pair("warp_tail", warp_tail<true>, warp_tail<false>, fault_kind::data_race,
              {.block = 32, .result = 2016, .faulty_in = models::independent})
        .pair("same_word", same_word<true>, same_word<false>, fault_kind::data_race, {.block = 32, .result = 1})
        .pair("half_mask", half_mask<true>, half_mask<false>, fault_kind::data_race, one_warp)
        .pair("shuffle_as_barrier", no_barrier<1>, no_barrier<0>, fault_kind::data_race, one_warp)
        .faulty("vote_as_barrier", no_barrier<2>, fault_kind::data_race, one_warp)
        .faulty("reduction_as_barrier", no_barrier<3>, fault_kind::data_race, one_warp)
        .pair("warp_scan", warp_scan<true>, warp_scan<false>, fault_kind::data_race,
              {.block = 32, .faulty_in = models::independent})
        .pair("two_branches", two_branches<true>, two_branches<false>, fault_kind::data_race,
              {.block = 32, .runs_in = models::independent})
        .pair("broadcast_slot", broadcast_slot<true>, broadcast_slot<false>, fault_kind::data_race, one_warp)
        .pair("leader_collects", leader_collects<true>, leader_collects<false>, fault_kind::data_race,
              {.block = 32, .result = 496, .faulty_in = models::independent})
        .pair("warp_slices", warp_slices<31>, warp_slices<32>, fault_kind::data_race, {.block = 96})
        .correct("bytes_of_a_word", bytes_of_a_word, {.block = 32, .result = 0x04030201})
        .pair("byte_and_word", byte_and_word<true>, byte_and_word<false>, fault_kind::data_race,
              {.block = 32, .result = 0x00010000, .faulty_in = models::independent})
        .pair("warp_transpose", warp_transpose<true>, warp_transpose<false>, fault_kind::data_race, one_warp);

}  // namespace

// Shuffles, votes, matches, reductions and __syncwarp: masks, lanes and widths.
#include "suite.hpp"

namespace {
using namespace suite;
constexpr auto lanes_missing = fault_kind::missing_lanes;
constexpr unsigned all = 0xffffffffU;

/// Half of the warp shuffles with a mask of all lanes.
template <bool faulty>
__global__ void shuffle_in_branch(arrays m) {
  int x = 1;
  if (threadIdx.x < 16) {
    x += __shfl_down_sync(faulty ? all : 0xffffU, x, 8, 16);  // fault: shuffle_in_branch
  }
  __syncthreads();  // fault: shuffle_in_branch
  m.out[threadIdx.x] = x;
}

template <bool faulty>
__global__ void vote_in_branch(arrays m) {
  unsigned votes = 0;
  if (m.in[threadIdx.x] % 2 == 0) {
    votes = __ballot_sync(faulty ? all : 0x55555555U, 1);  // fault: vote_in_branch
  }
  __syncwarp();  // fault: vote_in_branch
  m.out[threadIdx.x] = static_cast<int>(votes);
}

/// A shuffle in the loop over a ragged range: in the last round some lanes are missing.
template <bool faulty>
__global__ void ragged_loop(arrays m) {
  int sum = 0;
  const int end = faulty ? arrays::n : (arrays::n + 31) / 32 * 32;
  for (int i = static_cast<int>(threadIdx.x); i < end; i += 32) {
    int x = i < arrays::n ? m.in[i] : 0;
    for (int half = 16; half > 0; half /= 2) {
      x += __shfl_xor_sync(all, x, half);  // fault: ragged_loop
    }
    sum += x;
  }
  __syncthreads();           // fault: ragged_loop
  m.out[threadIdx.x] = sum;  // fault: ragged_loop
}

/// The mask lacks the lane that calls.
template <bool faulty>
__global__ void mask_without_caller(arrays m) {
  unsigned votes = 0;
  if (threadIdx.x < 9) {
    votes = __ballot_sync(faulty ? 0xffU : 0x1ffU, 1);  // fault: mask_without_caller
  }
  m.out[threadIdx.x] = static_cast<int>(votes);
}

/// __syncwarp of all lanes in a branch.
template <bool faulty>
__global__ void syncwarp_in_branch(arrays m) {
  if (threadIdx.x < 20) {
    m.scratch[threadIdx.x] = 1;
    __syncwarp(faulty ? all : 0xfffffU);  // fault: syncwarp_in_branch
  }
  __syncthreads();  // fault: syncwarp_in_branch
  m.out[threadIdx.x] = 1;
}

template <bool faulty>
__global__ void reduction_in_branch(arrays m) {
  unsigned sum = 0;
  if (threadIdx.x >= 8) {
    sum = __reduce_add_sync(faulty ? all : all << 8, threadIdx.x);  // fault: reduction_in_branch
  }
  __syncthreads();  // fault: reduction_in_branch
  m.out[31 - threadIdx.x] = static_cast<int>(sum);
}

template <bool faulty>
__global__ void match_in_branch(arrays m) {
  unsigned same = 0;
  if (threadIdx.x < 31) {
    same = __match_any_sync(faulty ? all : all >> 1, m.in[threadIdx.x] % 3);  // fault: match_in_branch
  }
  __syncthreads();  // fault: match_in_branch
  m.out[threadIdx.x] = static_cast<int>(same);
}

/// The two branches call different functions with a mask of all lanes.
template <bool faulty>
__global__ void two_functions(arrays m) {
  unsigned x = 0;
  if (threadIdx.x < 16) {
    x = __ballot_sync(faulty ? all : 0xffffU, 1);  // fault: two_functions
  } else {
    x = __shfl_sync(faulty ? all : 0xffff0000U, threadIdx.x, 16);  // fault: two_functions
  }
  __syncwarp();
  m.out[threadIdx.x] = static_cast<int>(x);
}

/// A lane waits for a lane that has taken another branch with a barrier.
template <bool faulty>
__global__ void lane_at_a_barrier(arrays m) {
  int x = static_cast<int>(threadIdx.x);
  if (faulty && threadIdx.x == 5) {
    __syncthreads();  // fault: lane_at_a_barrier
  } else {
    x = __shfl_sync(all, x, 7);  // fault: lane_at_a_barrier
    __syncthreads();             // fault: lane_at_a_barrier
  }
  m.out[threadIdx.x] = x;
}

/// A value of a lane outside of the mask: undefined.
template <bool faulty>
__global__ void source_outside_of_mask(arrays m) {
  int x = static_cast<int>(threadIdx.x);
  if (threadIdx.x < 16) {
    x = __shfl_sync(0xffffU, x, faulty ? 20 : 3);  // fault: source_outside_of_mask
  }
  m.out[threadIdx.x] = x;
}

/// The same by an exchange with distance 16.
template <bool faulty>
__global__ void exchange_outside_of_mask(arrays m) {
  int x = static_cast<int>(threadIdx.x);
  if (threadIdx.x < 16) {
    x += __shfl_xor_sync(0xffffU, x, faulty ? 16 : 8);  // fault: exchange_outside_of_mask
  }
  m.out[threadIdx.x] = x;
}

/// A value of a lane that has exited: undefined.
template <bool faulty>
__global__ void source_that_has_exited(arrays m) {
  if (threadIdx.x >= 24) return;
  const int x = __shfl_sync(all, static_cast<int>(threadIdx.x), faulty ? 30 : 20);  // fault: source_that_has_exited
  m.out[threadIdx.x] = x;
}

/// A width that is no power of two: undefined.
template <bool faulty>
__global__ void odd_width(arrays m) {
  const int x = __shfl_down_sync(all, static_cast<int>(threadIdx.x), 2, faulty ? 12 : 16);  // fault: odd_width
  m.out[threadIdx.x] = x;
}

/// One atomic operation for all lanes that found an element.
__global__ void aggregated_atomics(arrays m) {
  for (int i = static_cast<int>(threadIdx.x); i < arrays::n; i += 32) {
    const bool found = m.in[i] % 3 == 0;
    const unsigned active = __activemask();
    if (!found) continue;
    const unsigned group = active & __activemask();
    const unsigned lane = threadIdx.x % 32;
    const int leader = __ffs(static_cast<int>(group)) - 1;
    int first = 0;
    if (static_cast<int>(lane) == leader) first = atomicAdd(m.zeros, __popc(group));
    first = __shfl_sync(group, first, leader);
    m.out[first + __popc(group & ((1U << lane) - 1U))] = m.in[i];
  }
}

/// The same with a mask from a vote of all lanes.
__global__ void aggregated_by_vote(arrays m) {
  const unsigned lane = threadIdx.x % 32;
  for (int first = 0; first < arrays::n; first += 32) {
    const int i = first + static_cast<int>(lane);
    const unsigned group = __ballot_sync(all, i < arrays::n && m.in[i] % 3 == 0);
    const int leader = __ffs(static_cast<int>(group)) - 1;
    int place = 0;
    if (static_cast<int>(lane) == leader) place = atomicAdd(m.zeros, __popc(group));
    if (leader >= 0) place = __shfl_sync(all, place, leader);
    if ((group >> lane & 1U) != 0) m.out[place + __popc(group & ((1U << lane) - 1U))] = m.in[i];
  }
}

/// Lanes with the same key elect a leader and sum by it.
__global__ void groups_by_match(arrays m) {
  const int key = m.in[threadIdx.x] % 5;
  const unsigned group = __match_any_sync(all, key);
  const int leader = __ffs(static_cast<int>(group)) - 1;
  const unsigned sum = __reduce_add_sync(group, threadIdx.x % 32);
  if (static_cast<int>(threadIdx.x % 32) == leader) atomicAdd(&m.zeros[key], static_cast<int>(sum));
}

/// Two halves of a warp work for themselves, each with its mask and a loop of its own length.
__global__ void independent_halves(arrays m) {
  const unsigned half = threadIdx.x / 16 % 2, mask = 0xffffU << (16 * half);
  int x = m.in[threadIdx.x];
  for (unsigned round = 0; round < 2 + half; ++round) {
    for (int distance = 8; distance > 0; distance /= 2) x += __shfl_xor_sync(mask, x, distance, 16);
    x /= 16;
    __syncwarp(mask);
  }
  m.out[threadIdx.x] = x;
}

/// Lanes that have exited may stay in the mask.
__global__ void exited_lanes(arrays m) {
  if (threadIdx.x >= 24) return;
  const unsigned votes = __ballot_sync(all, 1);
  __syncwarp();
  m.out[threadIdx.x] = __popc(votes);
}

/// A block whose last warp is not full.
__global__ void incomplete_warp(arrays m) {
  const unsigned mask = threadIdx.x < 32 ? all : 0xffU;
  const int width = threadIdx.x < 32 ? 32 : 8;  // beyond it a lane would read lanes that do not exist
  int x = 1;
  for (int half = width / 2; half > 0; half /= 2) x += __shfl_down_sync(mask, x, half, width);
  if (threadIdx.x % 32 == 0) m.out[threadIdx.x / 32] = x;
}

const family table =
    family("warp functions", __FILE__)
        .pair("shuffle_in_branch", shuffle_in_branch<true>, shuffle_in_branch<false>, lanes_missing,
              {.block = 32, .result = 2})
        .pair("vote_in_branch", vote_in_branch<true>, vote_in_branch<false>, lanes_missing,
              {.block = 32, .result = 0x55555555})
        .pair("ragged_loop", ragged_loop<true>, ragged_loop<false>, lanes_missing,
              {.block = 32, .result = arrays::sum})
        .pair("mask_without_caller", mask_without_caller<true>, mask_without_caller<false>, lanes_missing,
              {.block = 32, .result = 0x1ff})
        .pair("syncwarp_in_branch", syncwarp_in_branch<true>, syncwarp_in_branch<false>, lanes_missing,
              {.block = 32, .result = 1})
        .pair("reduction_in_branch", reduction_in_branch<true>, reduction_in_branch<false>, lanes_missing,
              {.block = 32, .result = 468})
        .pair("match_in_branch", match_in_branch<true>, match_in_branch<false>, lanes_missing, {.block = 32})
        .pair("two_functions", two_functions<true>, two_functions<false>, lanes_missing,
              {.block = 32, .result = 0xffff})
        .pair("lane_at_a_barrier", lane_at_a_barrier<true>, lane_at_a_barrier<false>, lanes_missing,
              {.block = 32, .result = 7})
        .pair("source_outside_of_mask", source_outside_of_mask<true>, source_outside_of_mask<false>, lanes_missing,
              {.block = 32, .result = 3})
        .pair("exchange_outside_of_mask", exchange_outside_of_mask<true>, exchange_outside_of_mask<false>,
              lanes_missing, {.block = 32, .result = 8})
        .pair("source_that_has_exited", source_that_has_exited<true>, source_that_has_exited<false>, lanes_missing,
              {.block = 32, .result = 20})
        .pair("odd_width", odd_width<true>, odd_width<false>, fault_kind::invalid_width, {.block = 32, .result = 2})
        .correct("aggregated_atomics", aggregated_atomics, {.grid = 1, .block = 32})
        .correct("aggregated_by_vote", aggregated_by_vote, {.block = 32, .result = 0})
        .correct("groups_by_match", groups_by_match, {.grid = 2, .block = 64})
        .correct("independent_halves", independent_halves, {.block = 64, .result = 7})
        .correct("exited_lanes", exited_lanes, {.block = 32, .result = 24})
        .correct("incomplete_warp", incomplete_warp, {.block = 40, .result = 32});

}  // namespace

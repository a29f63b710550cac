// The best of the candidates of a grid: by reductions of the warps, shared memory, and one message per block to the
// block of the last ticket (core/exchange.cuh), which waits for all of them and stores the result.
//
// The greatest rank wins; of equal ranks, the lowest index.
#pragma once

#include <cuda/core/exchange.cuh>
#include <cuda/core/extremum_state.hpp>
#include <cuda/core/kernel.cuh>
#include <cuda/work/extremum_rank.hpp>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// Threads of a block, at most.
inline constexpr int max_extremum_threads = 1024;

template <class Rank>
__device__ __forceinline__ bool is_better(const extremum_candidate<Rank>& x, const extremum_candidate<Rank>& than) {
  return x.rank > than.rank || (x.rank == than.rank && x.index < than.index);
}

__device__ __forceinline__ unsigned max_of_warp(unsigned x) { return __reduce_max_sync(all_lanes, x); }
__device__ __forceinline__ std::uint64_t max_of_warp(std::uint64_t x) {
  const auto high = static_cast<unsigned>(x >> 32), highest = __reduce_max_sync(all_lanes, high);
  const auto low = high == highest ? static_cast<unsigned>(x) : 0U;
  return std::uint64_t{highest} << 32 | __reduce_max_sync(all_lanes, low);
}
__device__ __forceinline__ std::uint64_t min_of_warp(std::uint64_t x) { return ~max_of_warp(~x); }

/// In all lanes.
template <bool with_index, class Rank>
__device__ __forceinline__ extremum_candidate<Rank> best_of_warp(const extremum_candidate<Rank>& candidate) {
  const Rank rank = max_of_warp(candidate.rank);
  if constexpr (with_index) {
    return {rank, min_of_warp(candidate.rank == rank ? candidate.index : ~std::uint64_t{0})};
  } else {
    return {rank, 0};
  }
}

/// By all threads of a block; the result is valid in the first warp.
template <bool with_index, class Rank>
__device__ __forceinline__ extremum_candidate<Rank> best_of_block(extremum_candidate<Rank> best) {
  __shared__ extremum_candidate<Rank> of_warp[max_extremum_threads / 32];
  best = best_of_warp<with_index>(best);
  if (blockDim.x == 32) return best;
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = best;
  __syncthreads();
  if (threadIdx.x >= 32) return best;
  best = threadIdx.x < blockDim.x / 32 ? of_warp[threadIdx.x] : no_candidate<Rank>();
  return best_of_warp<with_index>(best);
}

/// Whether a candidate takes two messages: 64 bits of rank and as many of index.
template <bool with_index, class Rank>
inline constexpr bool has_second = with_index && sizeof(Rank) == 8;

/// By one thread.
template <bool with_index, class Rank>
__device__ __forceinline__ void publish(const extremum_candidate<Rank>& best, extremum_state& state,
                                        unsigned flag) {
  if constexpr (has_second<with_index, Rank>) {
    store_message(&state.first[blockIdx.x], {best.rank, 0, flag});
    store_message(&state.second[blockIdx.x], {best.index, 0, flag});
  } else if constexpr (with_index) {
    store_message(&state.first[blockIdx.x], {best.index, best.rank, flag});
  } else {
    store_message(&state.first[blockIdx.x], {best.rank, 0, flag});
  }
}

template <bool with_index, class Rank>
__device__ __forceinline__ extremum_candidate<Rank> candidate_in(const extremum_message& first,
                                                                 const extremum_message& second) {
  if constexpr (has_second<with_index, Rank>) {
    return {first.data, second.data};
  } else if constexpr (with_index) {
    return {first.word, first.data};
  } else {
    return {static_cast<Rank>(first.data), 0};
  }
}

/// The best of all blocks, which have started. By one warp; in all lanes.
template <bool with_index, class Rank>
__device__ __forceinline__ extremum_candidate<Rank> best_of_messages(const extremum_state& state, unsigned flag) {
  constexpr int at_once = has_second<with_index, Rank> ? 4 : 8;  // candidates per lane
  extremum_candidate<Rank> best = no_candidate<Rank>();
  for (unsigned start = 0; start < gridDim.x; start += 32 * at_once) {
    extremum_message first[at_once], second[at_once];
    bool missing;
    do {
      missing = false;
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        const unsigned block = start + 32 * static_cast<unsigned>(k) + threadIdx.x;
        first[k] = second[k] = {0, 0, flag};
        if (block >= gridDim.x) continue;
        first[k] = load_message(&state.first[block]);
        if constexpr (has_second<with_index, Rank>) second[k] = load_message(&state.second[block]);
      }
#pragma unroll
      for (int k = 0; k < at_once; ++k) missing |= first[k].flag != flag || second[k].flag != flag;
    } while (__any_sync(all_lanes, missing));
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      if (start + 32 * static_cast<unsigned>(k) + threadIdx.x >= gridDim.x) continue;
      const auto candidate = candidate_in<with_index, Rank>(first[k], second[k]);
      if (is_better(candidate, best)) best = candidate;
    }
  }
  return best_of_warp<with_index>(best);
}

/// Prepares the next launch. By all lanes of the last block's first warp, when all messages are read.
__device__ __forceinline__ void reset(extremum_state& state, const launch_ticket& ticket) {
  if (threadIdx.x == 0) reset_tickets(state.tickets, ticket);
  if (ticket.flag != ~0U) return;  // else flags repeat from now on
  for (unsigned i = threadIdx.x; i < max_extremum_blocks; i += 32) {
    store_message(&state.first[i], {0, 0, 0});
    store_message(&state.second[i], {0, 0, 0});
  }
}

/// The best of the grid, in all lanes of the last block's first warp, where it is true. By all threads;
/// `candidate`: the best of each thread's elements.
template <bool with_index, class Rank>
__device__ __forceinline__ bool best_of_grid(extremum_candidate<Rank>& candidate, extremum_state& state) {
  const bool alone = gridDim.x == 1;
  wide_unsigned drawn = 0;
  if (!alone && threadIdx.x == 0) drawn = draw_ticket(state.tickets);
  candidate = best_of_block<with_index>(candidate);
  if (alone || threadIdx.x >= 32) return threadIdx.x < 32;
  if (threadIdx.x == 0) publish<with_index>(candidate, state, read_ticket(drawn).flag);
  const launch_ticket ticket = read_ticket(__shfl_sync(all_lanes, drawn, 0));
  if (!ticket.is_last) return false;
  candidate = best_of_messages<with_index, Rank>(state, ticket.flag);
  reset(state, ticket);
  return true;
}

/// Stores the result: an element, an index, or without a destination both in the state. By one thread.
template <class Rank>
__device__ __forceinline__ void store_extremum(const rank_rule& rule, const extremum_candidate<Rank>& best,
                                               bool gives_index, extremum_state& state, const destination& to) {
  if (to.value == nullptr && to.host == nullptr) {
    state.best = {best.rank, best.index};
  } else {
    store_anywhere(to, gives_index ? best.index : element_of_rank(rule, best.rank));
  }
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine

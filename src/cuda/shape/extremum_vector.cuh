// The least or greatest element and its lowest index: one launch that reads the vector once.
//
//   thread      the highest rank (work/extremum_rank.hpp) of the elements of 16-byte loads (work/packed_ranks.cuh)
//   warp        for an index: the highest rank so far, of all lanes. Only if a batch of loads has a higher one, the
//               warp looks for that element in its registers; in data without order, of k batches ln k + 1 do
//   grid        work/extremum_grid.cuh
//
// A warp visits its batches, and in a batch the loads and lanes, in ascending order of index, so that the first
// element of a rank stays. Inputs of any other layout: single elements, each with its index.
#pragma once

#include <cuda/core/kernel.cuh>
#include <cuda/core/load.cuh>
#include <cuda/work/extremum_grid.cuh>
#include <cuda/work/packed_ranks.cuh>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// A vector of elements of so many bytes in packs, from `head` on.
template <int bytes>
struct packed_input : operands<typename exactdot::detail::unsigned_of<bytes>::type, input_layout::contiguous> {
  using element = typename exactdot::detail::unsigned_of<bytes>::type;
  std::size_t packs;
  packed_input(const element* x, std::size_t count)
      : operands<element, input_layout::contiguous>(x, nullptr, count),
        packs((this->end - this->head) * bytes / 16) {}
};

template <int bytes>
using loaded_pack = pack<packed_word<bytes>>;

/// A warp's share of the packs: `in_flight` of each lane at a time. Elements before index `head` are not in packs.
template <int bytes, int in_flight>
struct warp_batch {
  static constexpr int elements = 16 / bytes;  ///< of a pack
  std::size_t first;                           ///< pack of the first lane
  std::size_t stride;                          ///< between the packs of a lane
  loaded_pack<bytes> packs[in_flight];

  __device__ __forceinline__ explicit warp_batch(std::size_t warp_in_grid)
      : first(32 * warp_in_grid), stride(std::size_t{gridDim.x} * blockDim.x) {}

  /// Packs behind the last become elements of rank 0.
  __device__ __forceinline__ void load(const packed_input<bytes>& in, const rank_rule& rule) {
    const std::size_t lane = first + threadIdx.x % 32;
    const auto* const from = reinterpret_cast<const loaded_pack<bytes>*>(in.a + in.head) + lane;
    if (first + 31 + (in_flight - 1) * stride < in.packs) {
#pragma unroll
      for (int k = 0; k < in_flight; ++k) packs[k] = from[k * stride];
      return;
    }
#pragma unroll
    for (int k = 0; k < in_flight; ++k) {
      for (auto& word : packs[k].element) word = static_cast<packed_word<bytes>>(rule.last);
      if (lane + k * stride < in.packs) packs[k] = from[k * stride];
    }
  }

  __device__ __forceinline__ packed_word<bytes> include_in(packed_word<bytes> highest,
                                                           const rank_rule& rule) const {
#pragma unroll
    for (int k = 0; k < in_flight; ++k) {
#pragma unroll
      for (const auto word : packs[k].element) highest = include<bytes>(rule, highest, word);
    }
    return highest;
  }

  /// The index, less `head`, of the warp's first element of at least this rank. `has_it`: whether this lane has
  /// one; some lane has. By all lanes.
  __device__ __forceinline__ std::uint64_t index_of(packed_word<bytes> rank, bool has_it, rank_rule rule) const {
    constexpr int words = loaded_pack<bytes>::count;
    // else the compiler would keep the ranks that include_in has computed, and spill registers
    rule.flip = __shfl_sync(all_lanes, static_cast<packed_word<bytes>>(rule.flip), 0);
    rule.if_negative = __shfl_sync(all_lanes, static_cast<packed_word<bytes>>(rule.if_negative), 0);
    const packed_word<bytes> below = accumulator_of<bytes>(rank - 1);
    unsigned position = ~0U;  // in the batch: load, lane, element
    if (has_it) {
      packed_word<bytes> found = packs[0].element[0];
      unsigned word = 0;
#pragma unroll
      for (int i = in_flight * words - 1; i >= 0; --i) {
        const packed_word<bytes> candidate = packs[i / words].element[i % words];
        if (include<bytes>(rule, below, candidate) != below) found = candidate, word = static_cast<unsigned>(i);
      }
      const unsigned pack_in_batch = word / words * 32 + threadIdx.x % 32;
      position = (pack_in_batch * words + word % words) * elements_per_word<bytes> +
                 first_of_rank<bytes>(rule, found, rank);
    }
    position = __reduce_min_sync(all_lanes, position);
    const unsigned pack_in_batch = position / elements;
    return (first + pack_in_batch / 32 * stride + pack_in_batch % 32) * elements + position % elements;
  }
};

template <int bytes>
using packed_candidate = extremum_candidate<packed_word<bytes>>;

/// The best element of the packs of this warp, in each lane; without an index, of the packs of this lane.
template <int bytes, bool with_index, int in_flight>
__device__ __forceinline__ packed_candidate<bytes> best_of_packs(const packed_input<bytes>& in,
                                                                 const rank_rule& rule) {
  using word = packed_word<bytes>;
  warp_batch<bytes, in_flight> batch(std::size_t{blockIdx.x} * (blockDim.x / 32) + threadIdx.x / 32);
  packed_candidate<bytes> best = no_candidate<word>();
  if (batch.first < in.packs) best.index = in.head + batch.first * batch.elements;  // if all have rank 0
  word highest = accumulator_of<bytes>(0);
#pragma unroll 1
  for (; batch.first < in.packs; batch.first += in_flight * batch.stride) {
    batch.load(in, rule);
    const word before = highest;
    highest = batch.include_in(highest, rule);
    if constexpr (with_index) {
      if (!__any_sync(all_lanes, highest != before)) continue;
      const word of_lane = highest_rank<bytes>(rule, highest);
      best.rank = max_of_warp(of_lane);
      best.index = in.head + batch.index_of(best.rank, of_lane == best.rank, rule);
      highest = best.rank < rule.first_nan ? accumulator_of<bytes>(best.rank) : ~word{0};
    }
  }
  if constexpr (!with_index) best = {highest_rank<bytes>(rule, highest), 0};
  return best;
}

/// One element per lane of one warp of the grid, of those in no pack: at most 30.
template <int bytes>
struct single_element {
  std::size_t index = no_index;  ///< no_index: none
  packed_word<bytes> bits = 0;
  static constexpr std::size_t no_index = ~std::size_t{0};

  __device__ __forceinline__ explicit single_element(const packed_input<bytes>& in) {
    const unsigned lane = threadIdx.x % 32;
    const std::size_t in_packs = in.packs * (16 / bytes);
    const bool last_warp = blockIdx.x == gridDim.x - 1 && threadIdx.x / 32 == blockDim.x / 32 - 1;
    if (!last_warp || lane >= in.n - in_packs) return;
    index = index_of_single(lane, in.head, in_packs);
    bits = in.a[index];
  }
};

/// Blocks of at most so many threads of which three fit on a multiprocessor; of larger ones, one.
inline constexpr int small_extremum_threads = 256;

/// The input is aligned to its elements. `most_threads`: of a block, small_extremum_threads or
/// max_extremum_threads.
template <int bytes, bool with_index, int in_flight, int most_threads>
__global__ void __launch_bounds__(most_threads, most_threads == small_extremum_threads ? 3 : 1)
    packed_extremum_kernel(const __grid_constant__ packed_input<bytes> in, const __grid_constant__ rank_rule rule,
                           extremum_state* state, const __grid_constant__ destination to) {
  begin_kernel(in.n);
  const single_element<bytes> single(in);
  auto best = best_of_packs<bytes, with_index, in_flight>(in, rule);
  if (single.index != single.no_index) {
    const auto rank = static_cast<packed_word<bytes>>(rank_of(rule, single.bits));
    const packed_candidate<bytes> candidate{rank, with_index ? single.index : 0};
    if (is_better(candidate, best)) best = candidate;
  }
  end_of_input(in.n);
  if (best_of_grid<with_index>(best, *state) && threadIdx.x == 0)
    store_extremum(rule, best, with_index, *state, to);
}

/// Inputs of any layout.
__global__ void __launch_bounds__(small_extremum_threads, 3)
    extremum_kernel(const __grid_constant__ any_operand x, std::size_t n, const __grid_constant__ rank_rule rule,
                    bool gives_index, extremum_state* state, const __grid_constant__ destination to) {
  begin_kernel(n);
  auto best = no_candidate<std::uint64_t>();
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride) {
    const extremum_candidate<std::uint64_t> candidate{rank_of(rule, bits_at(x, i)), i};
    if (is_better(candidate, best)) best = candidate;
  }
  end_of_input(n);
  if (best_of_grid<true>(best, *state) && threadIdx.x == 0) store_extremum(rule, best, gives_index, *state, to);
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine

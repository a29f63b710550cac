// The least or greatest element of each of many lines, or its lowest index, in one launch.
//
//   thread                        its part of a line, by packs or single elements          work/extremum_load.cuh
//   lanes, a warp, or a block     the highest rank of a line, then the lowest index that has it
//   one thread                    turns the rank into an element, and stores
//
// Lines: a class with `count`, `stride`, `swapped` and line(i), as element_lines. Cost: every element is read once;
// for an index, each thread reads one batch of 16-byte loads again, from cache. Columns, lines that blocks share,
// and segments have kernels that take any work: work/extremum_work.cuh.
#pragma once

#include <cuda/work/extremum_grid.cuh>
#include <cuda/work/extremum_load.cuh>
#include <cuda/work/line_again.cuh>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// The greatest x of a team, in all its threads; by all of them. `of_warp`: in shared memory, of a block.
template <int lanes, class Word>
__device__ __forceinline__ Word max_of_team(lane_team<lanes>, Word x, const void*) {
  if constexpr (lanes == 32) {
    return max_of_warp(x);
  } else {
#pragma unroll
    for (int distance = lanes / 2; distance > 0; distance /= 2) {
      x = ::max(x, __shfl_xor_sync(all_lanes, x, distance));
    }
    return x;
  }
}
template <int threads, class Word, class Place>
__device__ __forceinline__ Word max_of_team(block_team<threads>, Word x, Place* of_warp) {
  constexpr unsigned warps = threads / 32;
  static_assert(warps <= 32 && (warps & (warps - 1)) == 0);
  x = max_of_warp(x);
  __syncthreads();  // the last call's values have been read
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32].index = x;
  __syncthreads();
  return max_of_warp(static_cast<Word>(of_warp[threadIdx.x % warps].index));
}

/// The rank and the index of a line's best element, in all threads of its team. `of_warp`: as in max_of_team.
template <int bytes, bool with_index, input_layout layout, int in_flight, class Index, class Lines, class Team,
          class Place>
__device__ __forceinline__ extremum_candidate<packed_word<bytes>> best_of_line(const Lines& in, element_line line,
                                                                               Team team, const rank_rule& rule,
                                                                               Place of_warp) {
  using word = packed_word<bytes>;
  if constexpr (layout == input_layout::contiguous) {
    packed_part<bytes, in_flight, Index, Team> part(line, team, rule);
    const word rank = max_of_team(team, part.template highest<with_index>(), of_warp);
    if constexpr (!with_index) return {rank, 0};
    const auto beyond = static_cast<Index>(~part.index_of(rank));  // the greatest is the lowest index
    return {rank, static_cast<Index>(~max_of_team(team, beyond, of_warp))};
  } else {
    const auto best = best_of_elements<bytes, with_index, in_flight>(in, line, team, rule);
    const word rank = max_of_team(team, best.rank, of_warp);
    if constexpr (!with_index) return {rank, 0};
    const std::uint64_t index = best.rank == rank ? best.index : ~std::uint64_t{0};
    return {rank, ~max_of_team(team, ~index, of_warp)};
  }
}

/// By one thread.
template <int bytes, class Rank>
__device__ __forceinline__ void store_best(const extremum_results& out, std::size_t i, const rank_rule& rule,
                                           const extremum_candidate<Rank>& best) {
  if (out.gives_index) {
    *reinterpret_cast<std::uint64_t*>(out.at(i)) = best.index;
  } else {
    using element = typename exactdot::detail::unsigned_of<bytes>::type;
    *reinterpret_cast<element*>(out.at(i)) = static_cast<element>(element_of_rank(rule, best.rank));
  }
}

/// {}: of no elements. All elements of a line may have rank 0; then its first one is the best.
template <class Rank>
struct best_element : extremum_candidate<Rank> {
  __device__ __forceinline__ void join(const best_element& other) {
    if (is_better(other, *this)) *this = other;
  }
};
template <class Rank>
__device__ __forceinline__ void copy_sum(const best_element<Rank>& from, best_element<Rank>& to) {
  to = from;
}
template <class Rank, class Shuffle>
__device__ __forceinline__ best_element<Rank> shuffled(const best_element<Rank>& x, Shuffle shuffle) {
  return {shuffle(x.rank), shuffle(x.index)};
}

__device__ __forceinline__ std::size_t elements_of(const element_lines& in) { return elements_of(in.count, in.n); }

/// Lines of few elements, `lanes` lanes of a warp for each. `resident`: blocks of a multiprocessor.
template <int bytes, bool with_index, input_layout layout, int threads, int lanes, int in_flight, int resident,
          class Lines>
__global__ void __launch_bounds__(threads, resident)
    short_line_extremum_kernel(const __grid_constant__ Lines in, const __grid_constant__ rank_rule rule,
                               const __grid_constant__ extremum_results out) {
  constexpr unsigned lines_of_warp = 32 / lanes, warps = threads / 32;
  begin_kernel(elements_of(in));
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const std::size_t step = std::size_t{gridDim.x} * warps * lines_of_warp;
  for (std::size_t first = (std::size_t{blockIdx.x} * warps + warp) * lines_of_warp; first < in.count;
       first += step) {
    const std::size_t index = first + lane / lanes;
    const bool is_line = index < in.count;
    const element_line line = is_line ? in.line(index) : element_line{nullptr, 0};
    const auto best =
        best_of_line<bytes, with_index, layout, in_flight, unsigned>(in, line, lane_team<lanes>{}, rule, nullptr);
    if (is_line && lane % lanes == 0) store_best<bytes>(out, index, rule, best);
  }
  end_of_input(elements_of(in));
}

/// Lines of many elements, a block for each.
template <int bytes, bool with_index, input_layout layout, int threads, int in_flight, int resident, class Lines>
__global__ void __launch_bounds__(threads, resident)
    long_line_extremum_kernel(const __grid_constant__ Lines in, const __grid_constant__ rank_rule rule,
                              const __grid_constant__ extremum_results out) {
  __shared__ extremum_candidate<packed_word<bytes>> of_warp[threads / 32];
  begin_kernel(elements_of(in));
  for (std::size_t index = blockIdx.x; index < in.count; index += gridDim.x) {
    const auto best = best_of_line<bytes, with_index, layout, in_flight, std::size_t>(
        in, in.line(index), block_team<threads>{}, rule, of_warp);
    if (threadIdx.x == 0) store_best<bytes>(out, index, rule, best);
  }
  end_of_input(elements_of(in));
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine

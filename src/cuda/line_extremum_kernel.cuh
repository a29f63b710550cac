// The least or greatest element of each of many lines, or its lowest index, in one launch.
//
//   thread                                     its part of a line, by packs or single elements
//   line_extremum_load.cuh some lanes of a warp, a warp, or a block   the highest rank of a line, then the lowest
//   index that has it or a block                                 those of neighbouring columns, each by some of its
//   threads one thread                                 turns the rank into an element, and stores
//
// Lines: a class with `count`, `stride`, `swapped` and line(i), as element_lines. Bound: every element is read
// once; for an index, each thread reads one batch of 16-byte loads again, from cache.
#pragma once

#include <cuda/dependent_launch.cuh>
#include <cuda/extremum_grid.cuh>
#include <cuda/last_block.cuh>
#include <cuda/line_extremum_load.cuh>
#include <cuda/split_lines.hpp>

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

/// The best of a block's columns, in its first threads; by all threads, each with the best of its part of column
/// threadIdx.x % columns. Two barriers.
template <int threads, int columns, class Rank>
__device__ __forceinline__ extremum_candidate<Rank> best_of_columns(
    extremum_candidate<Rank> best, extremum_candidate<Rank> (&of_warp)[threads / 32][columns]) {
  static_assert(columns <= 32);
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
#pragma unroll
  for (unsigned distance = 16; distance >= columns; distance /= 2) {
    const extremum_candidate<Rank> other{__shfl_down_sync(all_lanes, best.rank, distance),
                                         __shfl_down_sync(all_lanes, best.index, distance)};
    if (is_better(other, best)) best = other;
  }
  if (lane < columns) of_warp[warp][lane] = best;
  __syncthreads();
  if (threadIdx.x < columns) {
#pragma unroll
    for (unsigned other = 1; other < threads / 32; ++other) {
      if (is_better(of_warp[other][threadIdx.x], best)) best = of_warp[other][threadIdx.x];
    }
  }
  __syncthreads();
  return best;
}

/// Lines that lie side by side, `columns` of them for each block at a time: neighbouring threads read neighbouring
/// columns.
template <int bytes, bool with_index, int threads, int columns, int in_flight, int resident, class Lines>
__global__ void __launch_bounds__(threads, resident)
    column_extremum_kernel(const __grid_constant__ Lines in, const __grid_constant__ rank_rule rule,
                           const __grid_constant__ extremum_results out) {
  static_assert(threads % columns == 0 && (columns <= 32 || columns == threads));
  constexpr bool is_shared = columns < threads;  // a column by several threads
  using candidate = extremum_candidate<packed_word<bytes>>;
  __shared__ candidate of_warp[threads / 32][is_shared ? columns : 1];
  begin_kernel(elements_of(in));
  const column_team<threads, columns> team;
  const unsigned column = threadIdx.x % columns;
  for (std::size_t first = std::size_t{blockIdx.x} * columns; first < in.count;
       first += std::size_t{gridDim.x} * columns) {
    const bool is_line = first + column < in.count;
    candidate best = no_candidate<packed_word<bytes>>();
    if (is_line) {
      best = best_of_part<bytes, with_index, in_flight>(in.line(first + column), in.stride, in.swapped, team, rule);
    }
    if constexpr (is_shared) best = best_of_columns<threads, columns>(best, of_warp);
    if (threadIdx.x < columns && is_line) store_best<bytes>(out, first + column, rule, best);
  }
  end_of_input(elements_of(in));
}

/// A candidate of a part of a column, of another block.
struct stored_candidate {
  std::uint64_t rank, index;
};
static_assert(sizeof(stored_candidate) <= sizeof(stored_trace));

template <class Rank>
__device__ __forceinline__ void store_candidate(const extremum_candidate<Rank>& from, stored_trace* place) {
  volatile stored_candidate* const to = reinterpret_cast<volatile stored_candidate*>(place);
  to->rank = from.rank;
  to->index = from.index;
}
template <class Rank>
__device__ __forceinline__ void load_candidate(const stored_trace* place, extremum_candidate<Rank>& to) {
  const volatile stored_candidate* const from = reinterpret_cast<const volatile stored_candidate*>(place);
  to.rank = static_cast<Rank>(from->rank), to.index = from->index;
}

/// Few long columns, or lines of any place, `columns` of them for `parts` blocks, each of which reads some of the
/// rows. The last block of them combines their candidates. At most max_split_blocks panels of so many columns, and
/// max_partials candidates.
template <int bytes, bool with_index, int threads, int columns, int in_flight, int resident, class Lines>
__global__ void __launch_bounds__(threads, resident)
    split_column_extremum_kernel(const __grid_constant__ Lines in, const __grid_constant__ rank_rule rule,
                                 const __grid_constant__ extremum_results out, unsigned parts, line_state* state) {
  using candidate = extremum_candidate<packed_word<bytes>>;
  __shared__ candidate of_warp[threads / 32][columns];
  __shared__ bool is_last;
  begin_kernel(elements_of(in));
  const column_team<threads, columns> team;
  const unsigned column = threadIdx.x % columns;
  const auto panels = static_cast<unsigned>((in.count + columns - 1) / columns);
  for (unsigned unit = blockIdx.x; unit < panels * parts; unit += gridDim.x) {
    const unsigned panel = unit / parts, part = unit % parts;
    const std::size_t index = std::size_t{panel} * columns + column;
    const bool is_line = index < in.count;
    candidate best = no_candidate<packed_word<bytes>>();
    if (is_line) {
      const std::size_t from = in.n * part / parts, to = in.n * (part + 1) / parts;
      best = best_of_elements<bytes, with_index, in_flight>(in, in.part(index, from, to), team, rule);
      if (best.index != ~std::uint64_t{0}) best.index += from;
    }
    best = best_of_columns<threads, columns>(best, of_warp);
    if (threadIdx.x < columns) store_candidate(best, &state->partial[unit * columns + column]);
    if (!is_last_block_for_all(state->arrived[panel], parts, is_last)) continue;
    best = no_candidate<packed_word<bytes>>();
    for (unsigned other = threadIdx.x / columns; other < parts; other += threads / columns) {
      candidate next;
      load_candidate(&state->partial[(panel * parts + other) * columns + column], next);
      if (is_better(next, best)) best = next;
    }
    best = best_of_columns<threads, columns>(best, of_warp);
    if (threadIdx.x < columns && is_line) store_best<bytes>(out, index, rule, best);
  }
  end_of_input(elements_of(in));
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine

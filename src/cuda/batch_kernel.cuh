// Lines: one result for each of many vectors, in one launch.
//
//   some lanes of a warp, a warp, or a block   a traced sum of a line                          traced_sum.cuh
//   or a block                                 those of neighbouring columns, each by some of its threads
//   one lane                                   stores the result, if the bound decides it
//   the warp, or the block                     if not: again with more bits, or scaled         refined_sum.cuh
//                                              then in expansions, then in integers            superaccumulator.cuh
//
// The threads that read a line decide it: its elements are still in the cache, no block waits for another, and no
// list of open lines needs memory. Lines of which some are open cost what these cost; nothing else depends on data.
#pragma once

#include <cuda/dependent_launch.cuh>
#include <cuda/finish.cuh>
#include <cuda/line_load.cuh>
#include <cuda/refined_sum.cuh>
#include <cuda/traced_sum.cuh>
#include <type_traits>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// Of one team, for the lines that level 1 leaves open.
template <class Carrier>
struct line_storage {
  superaccumulator<Carrier> sum;
  unsigned carried_digit[digit_layout<Carrier>::count];
  std::int64_t words[core::layout_of<Carrier>().words()];
  bool decided;
};

/// The destination of line i.
__device__ __forceinline__ destination destination_of(const line_results& out, std::size_t i) {
  destination to = out.to;
  to.value = out.at(i);
  return to;
}

/// Stores the result of line i. By one thread.
template <class T>
__device__ __forceinline__ void store_line(const line_results& out, std::size_t i, std::uint64_t word) {
  if (out.to.rule.gives<T>()) {
    using bits = typename core::format<T>::bits;
    *reinterpret_cast<bits*>(out.at(i)) = static_cast<bits>(word);
  } else {
    store_anywhere(destination_of(out, i), word);
  }
}

/// The sum over the team, in its thread 0; by all its threads.
template <int lanes, class Sum>
__device__ __forceinline__ Sum sum_of_team(lane_team<lanes>, Sum x, Sum*) {
  return sum_of_warp(x, lanes);
}
template <int lanes, class Sum>
__device__ __forceinline__ Sum sum_of_team(block_team<lanes>, Sum x, Sum* of_warp) {
  return sum_of_block(x, of_warp, lanes / 32);
}

/// A refined sum; thread 0 stores the result if that decides it. storage.decided is valid afterwards.
template <class Team, class T, input_layout layout>
__device__ void refine_line(const core::term_info& term, const operands<T, layout>& line, Team team, scaling scale,
                            const error_bound& bound, line_storage<T>& storage, refined_sum* of_warp,
                            const destination& to) {
  const double power = scale == scaling::none ? 1 : scale == scaling::down ? 1 / scale_power : scale_power;
  const refined_sum of_thread = refined_sum_of_share(line, share_of_thread(team), power, term);
  const refined_sum total = sum_of_team(team, of_thread, of_warp);
  if (team.first_thread() == 0) {
    const core::decision found =
        decide_refined<T>(total, refined_bound(bound, scale, term.factors, line.n), scale, term.factors, to);
    if (found.certain) store_anywhere(to, found.word);
    storage.decided = found.certain;
  }
  Team::synchronise();
}

/// The result of a line that level 1 leaves open. By all threads of a warp or a block. `scale`: the same in all.
/// `of_warp`: in shared memory, of a block. Not inlined, so that it costs level 1 no registers.
template <class Team, class T, input_layout layout>
[[gnu::noinline]] __device__ void sum_line_again(core::term_info term, operands<T, layout> line, Team team,
                                                 scaling scale, const error_bound& bound, line_storage<T>& storage,
                                                 refined_sum* of_warp, const destination& to) {
  Team::synchronise();  // nothing of the last open line is read any more
  refine_line(term, line, team, scale, bound, storage, of_warp, to);
  if (storage.decided) return;
  const auto thread = static_cast<unsigned>(team.first_thread());
  for (const bool in_integers : {false, true}) {
    Team::synchronise();
    storage.sum.clear_digits(thread, Team::lanes);
    storage.sum.clear_special(thread);
    Team::synchronise();
    add_share(line, share_of_thread(team), in_integers, term, storage.sum);
    Team::synchronise();
    if (thread < 32) {
      const bool finished = finish_sum(to, storage.sum, storage.carried_digit, storage.words);
      if (thread == 0) storage.decided = finished;
    }
    Team::synchronise();
    if (storage.decided) return;
  }
}

/// The scaling for sum_line_again.
template <class T, bool tracks_least>
__device__ __forceinline__ scaling choose_scaling(const traced_sum<tracks_least>& sum, const error_bound& bound) {
  return choose_scaling<T>(bounded_sum<true>{sum.sum, sum.correction, sum.error}, bound);
}

/// The team's sum of a line, in its thread 0.
template <class Term, input_layout layout, int in_flight, class Index, class Team, class T, input_layout loads,
          class Sum>
__device__ __forceinline__ Sum sum_of_line(const operands<T, loads>& line, bool is_line, Team team, Sum* of_warp) {
  bounded_thread_sum<T, Term, summation::traced> sums;
  const auto add = [&](const auto& x, const auto& y) { sums.add(x, y); };
  if (!is_line) {
  } else if constexpr (layout == input_layout::contiguous) {
    for_each_of_contiguous_line<Term, in_flight, Index>(line, team, add);
  } else {
    for_each_pack<Term, in_flight>(line, team, add);
  }
  return sum_of_team(team, sums.total(), of_warp);
}

/// Lines of few elements, `lanes` lanes of a warp for each. `resident`: blocks of a multiprocessor.
template <class T, class Term, input_layout layout, int threads, int lanes, int in_flight, int resident = 1>
__global__ void __launch_bounds__(threads, resident)
    short_line_kernel(const __grid_constant__ lines_of<T, layout> in, const __grid_constant__ error_bound bound,
                      const __grid_constant__ line_results out) {
  static_assert(layout == input_layout::contiguous || in_flight >= pack<T>::count, "bound_of_line");
  constexpr unsigned lines_of_warp = 32 / lanes, warps = threads / 32;
  __shared__ line_storage<T> storage_of_warp[warps];
  begin_kernel(elements_of(in));
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const lane_team<lanes> team;
  const std::size_t step = std::size_t{gridDim.x} * warps * lines_of_warp;
  for (std::size_t first = (std::size_t{blockIdx.x} * warps + warp) * lines_of_warp; first < in.count;
       first += step) {
    const std::size_t index = first + lane / lanes;
    const bool is_line = index < in.count;
    line_sum<T, Term>* const unused = nullptr;
    const auto total = sum_of_line<Term, layout, in_flight, unsigned>(in.line(index), is_line, team, unused);
    core::decision found{0, true};
    if (is_line && lane % lanes == 0) {
      found = decide<T>(total, bound, out.to);
      if (found.certain) store_line<T>(out, index, found.word);
    }
    unsigned open = __ballot_sync(all_lanes, !found.certain);
    if (open == 0) continue;
    const auto chosen = static_cast<unsigned>(choose_scaling<T>(total, bound));
    for (; open != 0; open &= open - 1) {
      const int leader = __ffs(static_cast<int>(open)) - 1;
      const auto scale = static_cast<scaling>(__shfl_sync(all_lanes, chosen, leader));
      const std::size_t line = first + static_cast<unsigned>(leader) / lanes;
      sum_line_again(core::describe_term<Term>(), in.line(line), lane_team<32>{}, scale, bound,
                     storage_of_warp[warp], static_cast<refined_sum*>(nullptr), destination_of(out, line));
    }
  }
  end_of_input(elements_of(in));
}

/// Lines of many elements, a block for each.
template <class T, class Term, input_layout layout, int threads, int in_flight, int resident = 1>
__global__ void __launch_bounds__(threads, resident)
    long_line_kernel(const __grid_constant__ lines_of<T, layout> in, const __grid_constant__ error_bound bound,
                     const __grid_constant__ line_results out) {
  static_assert(layout == input_layout::contiguous || in_flight >= pack<T>::count, "bound_of_line");
  constexpr unsigned warps = threads / 32;
  __shared__ line_storage<T> storage;
  __shared__ line_sum<T, Term> of_warp[warps];
  __shared__ refined_sum refined_of_warp[warps];
  __shared__ scaling scale;
  begin_kernel(elements_of(in));
  const block_team<threads> team;
  for (std::size_t index = blockIdx.x; index < in.count; index += gridDim.x) {
    const auto line = in.line(index);
    const auto total = sum_of_line<Term, layout, in_flight, std::size_t>(line, true, team, of_warp);
    if (threadIdx.x == 0) {
      const core::decision found = decide<T>(total, bound, out.to);
      if (found.certain) store_line<T>(out, index, found.word);
      storage.decided = found.certain;
      scale = choose_scaling<T>(total, bound);
    }
    __syncthreads();
    if (storage.decided) continue;
    const scaling chosen = scale;
    sum_line_again(core::describe_term<Term>(), line, team, chosen, bound, storage, refined_of_warp,
                   destination_of(out, index));
    __syncthreads();
  }
  end_of_input(elements_of(in));
}

/// The sums of a block's columns, in its first threads; a barrier in between. By all threads. `of_warp`: in shared
/// memory, one for each warp and column. Its joins are no more than joins_of() counts.
template <int threads, int columns, class Sum>
__device__ __forceinline__ Sum sum_of_columns(Sum x, Sum (&of_warp)[threads / 32][columns]) {
  static_assert(columns <= 32 && threads / 32 + 32 / columns / 2 <= 11, "joins_of");
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
#pragma unroll
  for (unsigned distance = 16; distance >= columns; distance /= 2) {
    x.join(shuffled(x, [distance](auto part) { return __shfl_down_sync(all_lanes, part, distance); }));
  }
  if (lane < columns) copy_sum(x, of_warp[warp][lane]);
  __syncthreads();
  if (threadIdx.x < columns) {
#pragma unroll
    for (unsigned other = 1; other < threads / 32; ++other) {
      Sum next{};
      copy_sum(of_warp[other][threadIdx.x], next);
      x.join(next);
    }
  }
  return x;
}

/// Lines that lie side by side, `columns` of them for each block at a time: neighbouring threads read neighbouring
/// columns.
template <class T, class Term, int threads, int columns, int in_flight, int resident = 1>
__global__ void __launch_bounds__(threads, resident)
    column_kernel(const __grid_constant__ line_operands<T> in, const __grid_constant__ error_bound bound,
                  const __grid_constant__ line_results out) {
  static_assert(in_flight >= pack<T>::count, "bound_of_line");
  __shared__ line_storage<T> storage;
  __shared__ line_sum<T, Term> of_warp[threads / 32][columns];
  __shared__ refined_sum refined_of_warp[threads / 32];
  __shared__ scaling scale[columns];
  __shared__ unsigned open_columns;
  begin_kernel(elements_of(in));
  const column_team<threads, columns> team;
  const unsigned column = threadIdx.x % columns;
  for (std::size_t first = std::size_t{blockIdx.x} * columns; first < in.count;
       first += std::size_t{gridDim.x} * columns) {
    const bool is_line = first + column < in.count;
    bounded_thread_sum<T, Term, summation::traced> sums;
    if (is_line) {
      for_each_pack<Term, in_flight>(in.line(first + column), team,
                                     [&](const auto& x, const auto& y) { sums.add(x, y); });
    }
    const auto total = sum_of_columns<threads, columns>(sums.total(), of_warp);
    if (threadIdx.x < 32) {
      core::decision found{0, true};
      if (threadIdx.x < columns && is_line) {
        found = decide<T>(total, bound, out.to);
        if (found.certain) store_line<T>(out, first + column, found.word);
        scale[column] = choose_scaling<T>(total, bound);
      }
      const unsigned open = __ballot_sync(all_lanes, !found.certain);
      if (threadIdx.x == 0) open_columns = open;
    }
    __syncthreads();
    for (unsigned open = open_columns; open != 0; open &= open - 1) {
      const auto next = static_cast<unsigned>(__ffs(static_cast<int>(open)) - 1);
      sum_line_again(core::describe_term<Term>(), in.line(first + next), block_team<threads>{}, scale[next], bound,
                     storage, refined_of_warp, destination_of(out, first + next));
    }
    __syncthreads();
  }
  end_of_input(elements_of(in));
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine

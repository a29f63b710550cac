// The result of a line that level 1 leaves open, by the team that read it: its elements are still in the cache.
//
//   again with more bits, or scaled     sum/refined_sum.cuh
//   then in expansions, then integers   sum/superaccumulator.cuh
//
// Also what all kernels of lines share: where results go, the sum over a team, and those of columns.
#pragma once

#include <cuda/core/kernel.cuh>
#include <cuda/core/line_load.cuh>
#include <cuda/sum/refined_sum.cuh>
#include <cuda/sum/second_level.cuh>
#include <cuda/sum/traced_sum.cuh>
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

/// Stores the result of line i, or that of a vector in host memory. By one thread.
template <class T>
__device__ __forceinline__ void store_line(const line_results& out, std::size_t i, std::uint64_t word) {
  if (out.first != nullptr && out.to.rule.gives<T>()) {
    using bits = typename core::format<T>::bits;
    *reinterpret_cast<bits*>(out.at(i)) = static_cast<bits>(word);
  } else {
    store_anywhere(destination_of(out, i), word);
  }
}

/// The sum over the team, in all its lanes or, of a block, in thread 0; by all its threads.
template <int lanes, class Sum>
__device__ __forceinline__ Sum sum_of_team(lane_team<lanes>, Sum x, Sum*) {
#pragma unroll
  for (unsigned distance = lanes / 2; distance > 0; distance /= 2) {
    x.join(shuffled(x, [distance](auto part) { return __shfl_xor_sync(all_lanes, part, distance); }));
  }
  return x;
}
template <int lanes, class Sum>
__device__ __forceinline__ Sum sum_of_team(block_team<lanes>, Sum x, Sum* of_warp) {
  return sum_of_block(x, of_warp, lanes / 32);
}

/// The sums of a block's columns, in its first threads; a barrier in between. By all threads, each with `width`
/// sums: x[j] is of column threadIdx.x % across·width + j; `across` is a power of 2, at least 4. `of_row`: in
/// shared memory, a sum for each thread of a column and each column, of warps only one. Its joins are no more than
/// joins_of() counts.
template <int threads, int width, class Sum>
__device__ __forceinline__ Sum sum_of_columns(Sum (&x)[width], Sum* of_row, unsigned across) {
  static_assert(threads / 32 - 1 + 3 <= 11, "joins_of");
  const unsigned columns = across * width, threads_of_slot = across < 32 ? 32 : across;
#pragma unroll
  for (int j = 0; j < width; ++j) {
    for (unsigned distance = 16; distance >= across; distance /= 2) {
      x[j].join(shuffled(x[j], [distance](auto part) { return __shfl_down_sync(all_lanes, part, distance); }));
    }
    const unsigned slot = threadIdx.x / threads_of_slot;
    if (threadIdx.x % 32 < across) copy_sum(x[j], of_row[slot * columns + threadIdx.x % across * width + j]);
  }
  __syncthreads();
  Sum total{};
  if (threadIdx.x < columns) {
    copy_sum(of_row[threadIdx.x], total);
    for (unsigned other = 1; other < threads / threads_of_slot; ++other) {
      Sum next{};
      copy_sum(of_row[other * columns + threadIdx.x], next);
      total.join(next);
    }
  }
  return total;
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

/// Lines that are several stretches of memory (shape/list_lines.cuh).
template <class Line>
inline constexpr bool has_stretches = requires {
  Line::are_stretches;
};

/// Puts the exact sum of a line's terms, in expansions or in integers, into storage.sum. By all threads of a team;
/// a barrier before and after.
template <class Team, class Line, class Storage>
__device__ __forceinline__ void sum_by(bool in_integers, const core::term_info& term, const Line& line, Team team,
                                       Storage& storage) {
  const auto thread = static_cast<unsigned>(team.first_thread());
  Team::synchronise();
  storage.sum.clear_digits(thread, Team::lanes);
  storage.sum.clear_special(thread);
  Team::synchronise();
  if constexpr (has_stretches<Line>) {
    line.for_each_stretch(
        [&](const auto& stretch) { add_share(stretch, share_of_thread(team), in_integers, term, storage.sum); });
  } else {
    add_share(line, share_of_thread(team), in_integers, term, storage.sum);
  }
  Team::synchronise();
}

/// Stores the result of a line, by its exact sum. By all threads of a team.
template <class Team, class Line, class Storage>
__device__ __forceinline__ void finish_exactly(const core::term_info& term, const Line& line, Team team,
                                               Storage& storage, const destination& to) {
  const auto thread = static_cast<unsigned>(team.first_thread());
  for (const bool in_integers : {false, true}) {
    sum_by(in_integers, term, line, team, storage);
    if constexpr (has_stretches<Line>) {  // what is missing is bounded for one share of each warp, not for many
      const bool any_special = (storage.sum.special[0] | storage.sum.special[1] | storage.sum.special[2]) != 0;
      if (storage.sum.log2_error != 0 && !any_special) continue;
    }
    if (thread < 32) {
      const bool finished = finish_sum(to, storage.sum, storage.carried_digit, storage.words);
      if (thread == 0) storage.decided = finished;
    }
    Team::synchronise();
    if (storage.decided) return;
  }
}

/// The result of a line that level 1 leaves open. By all threads of a warp or a block. `scale`: the same in all.
/// `of_warp`: in shared memory, of a block. Not inlined, so that it costs level 1 no registers.
template <class Team, class T, input_layout layout>
[[gnu::noinline]] __device__ void sum_line_again(core::term_info term, operands<T, layout> line, Team team,
                                                 scaling scale, const error_bound& bound, line_storage<T>& storage,
                                                 refined_sum* of_warp, const destination& to) {
  Team::synchronise();  // nothing of the last open line is read any more
  refine_line(term, line, team, scale, bound, storage, of_warp, to);
  if (!storage.decided) finish_exactly(term, line, team, storage, to);
}

/// The scaling for sum_line_again.
template <class T, bool tracks_least>
__device__ __forceinline__ scaling choose_scaling(const traced_sum<tracks_least>& sum, const error_bound& bound) {
  return choose_scaling<T>(bounded_sum<true>{sum.sum, sum.correction, sum.error}, bound);
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine

// Lines: one result for each of many vectors, in one launch.
//
//   some lanes of a warp, a warp, or a block   a line's total                     work/total_of_line.cuh
//   one lane                                   stores the result, if the work decides it
//   the warp, or the block                     if not: computes it again          work/line_again.cuh
//
// The threads that read a line decide it: its elements are still in the cache, no block waits for another, and no
// list of open lines needs memory. Lines of which some are open cost what these cost; nothing else depends on data.
#pragma once

#include <cuda/work/total_of_line.cuh>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// Each lane that has a line decides it, whose number is number_of(lane) and whose total it has, and stores it;
/// lines that stay open the warp computes again. By all lanes of a warp.
template <class Work, class Lines, class NumberOf>
__device__ __forceinline__ void finish_lines_of_warp(const Lines& in, const typename Work::total& total,
                                                     bool is_line, NumberOf number_of, const line_bounds& bounds,
                                                     typename Work::storage& storage, const line_results& out,
                                                     const line_request& asked) {
  core::decision found{0, true};
  if (is_line) {
    found = Work::decide(total, bounds, out.to.rule, out.to.count, asked);
    if (found.certain) store_line<typename Work::carrier>(out, number_of(threadIdx.x % 32), found.word);
  }
  unsigned open = __ballot_sync(all_lanes, !found.certain);
  if (open == 0) return;
  const unsigned chosen = Work::choose_scaling(total, bounds);
  for (; open != 0; open &= open - 1) {
    const int leader = __ffs(static_cast<int>(open)) - 1;
    const unsigned scale = __shfl_sync(all_lanes, chosen, leader);
    const std::size_t line = number_of(static_cast<unsigned>(leader));
    Work::again(in.line(line), lane_team<32>{}, scale, bounds, storage, static_cast<refined_sum*>(nullptr), out,
                line, out.to.count, asked);
  }
}

/// Lines of few elements, `lanes` lanes of a warp for each. A team takes up to `lanes` lines in turn, and each of
/// its lanes decides one. `resident`: blocks of a multiprocessor.
template <class Work, input_layout layout, int threads, int lanes, int in_flight, int resident = 1>
__global__ void __launch_bounds__(threads, resident)
    short_line_kernel(const __grid_constant__ lines_of<typename Work::carrier, layout> in,
                      const __grid_constant__ line_bounds bounds, const __grid_constant__ line_results out,
                      const __grid_constant__ line_request asked) {
  static_assert(is_bounded<Work, layout, in_flight>, "bound_of_line");
  constexpr unsigned teams = 32 / lanes, warps = threads / 32;
  __shared__ typename Work::storage storage_of_warp[warps];
  begin_kernel(elements_of(in));
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32, of_team = lane % lanes;
  const lane_team<lanes> team;
  const std::size_t all_teams = std::size_t{gridDim.x} * warps * teams, share = in.count / all_teams;
  const unsigned turns = share < 1 ? 1 : share < lanes ? static_cast<unsigned>(share) : lanes;
  for (std::size_t first = (std::size_t{blockIdx.x} * warps + warp) * teams * turns; first < in.count;
       first += all_teams * turns) {
    const std::size_t first_of_team = first + lane / lanes * turns;
    typename Work::total total{};
    for (unsigned turn = 0; turn < turns; ++turn) {
      const std::size_t index = first_of_team + turn;
      typename Work::total* const unused = nullptr;
      const auto of_line = total_of_line<Work, layout, in_flight, unsigned>(in, in.line(index), index < in.count,
                                                                            team, unused, asked);
      if (of_team == turn) total = of_line;
    }
    const auto number_of = [&](unsigned of_lane) { return first + of_lane / lanes * turns + of_lane % lanes; };
    finish_lines_of_warp<Work>(in, total, of_team < turns && number_of(lane) < in.count, number_of, bounds,
                               storage_of_warp[warp], out, asked);
  }
  end_of_input(elements_of(in));
}

/// Lines of many elements, a block for each.
template <class Work, input_layout layout, int threads, int in_flight, int resident = 1>
__global__ void __launch_bounds__(threads, resident)
    long_line_kernel(const __grid_constant__ lines_of<typename Work::carrier, layout> in,
                     const __grid_constant__ line_bounds bounds, const __grid_constant__ line_results out,
                     const __grid_constant__ line_request asked) {
  static_assert(is_bounded<Work, layout, in_flight>, "bound_of_line");
  constexpr unsigned warps = threads / 32;
  __shared__ typename Work::storage storage;
  __shared__ typename Work::total of_warp[warps];
  __shared__ refined_sum refined_of_warp[warps];
  __shared__ unsigned scale;
  __shared__ bool is_open;
  begin_kernel(elements_of(in));
  const block_team<threads> team;
  for (std::size_t index = blockIdx.x; index < in.count; index += gridDim.x) {
    const auto line = in.line(index);
    const auto total = total_of_line<Work, layout, in_flight, std::size_t>(in, line, true, team, of_warp, asked);
    if (threadIdx.x == 0) {
      const core::decision found = Work::decide(total, bounds, out.to.rule, out.to.count, asked);
      if (found.certain) store_line<typename Work::carrier>(out, index, found.word);
      is_open = !found.certain;
      scale = Work::choose_scaling(total, bounds);
    }
    __syncthreads();
    if (!is_open) continue;
    const unsigned chosen = scale;
    Work::again(line, team, chosen, bounds, storage, refined_of_warp, out, index, out.to.count, asked);
    __syncthreads();
  }
  end_of_input(elements_of(in));
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine

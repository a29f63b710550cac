// Segments: one result for each stretch of a vector between two offsets, of any lengths in any order, in one
// launch.
//
//   a warp            takes up to 32 neighbouring segments and reads their offsets
//   one lane each     short ones, 8 lanes each longer ones, the warp all others, one after the other: the lengths
//                     are a row of core/line_tuning.hpp
//   split_lines.cuh   those that are long, and those beyond a warp's share of all elements: the warp
//                     appends them to a list
//
// A warp has the segments of each class by a ballot, so no lane waits for a segment of another class, nothing is
// sorted, and the host knows no length. A warp's segments lie next to each other, and so do the lanes' elements.
// What is computed of a segment is a work (work/total_of_line.cuh). Lines of one length are segments, too.
#pragma once

#include <cuda/work/total_of_line.cuh>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// Appends a segment to the list of long ones: false if that is full. Of those that are not long it takes only so
/// many that all others find a place. Counts are asked before they are changed, so that they cannot grow beyond
/// their bits. By one thread.
__device__ __forceinline__ bool append_long_line(line_state& state, const split_plan& plan, std::uint64_t line,
                                                 std::uint64_t n) {
  constexpr wide_unsigned mask = (wide_unsigned{1} << listed_bits) - 1;
  constexpr unsigned half = max_long_lines / 2;
  if (n <= plan.long_from) {
    if (load_word(&state.listed_for_balance) >= half) return false;
    if (atomicAdd(&state.listed_for_balance, wide_unsigned{1}) >= half) return false;
  }
  if ((load_word(&state.listed) & mask) >= max_long_lines) return false;
  const wide_unsigned before = atomicAdd(&state.listed, wide_unsigned{units_of(plan, n)} << listed_bits | 1);
  const auto place = static_cast<unsigned>(before & mask);
  if (place >= max_long_lines) return false;
  state.list[place] = {line, before >> listed_bits};
  return true;
}

/// What the lanes of a warp know of their segments.
struct warp_segments {
  std::uint64_t first;  ///< the segment of lane 0
  line_span span;       ///< of this lane
};

/// Whether a segment is for the list. By all lanes of a warp; `n`: 0 for lanes without a segment. A warp keeps
/// segments up to its share, in order, and all that are `kept`, too short for a block.
__device__ __forceinline__ bool leaves_segment(const split_plan& plan, std::uint64_t kept, std::uint64_t n) {
  const unsigned lane = threadIdx.x % 32;
  std::uint64_t up_to = n;  // the elements of this and all lanes before
#pragma unroll
  for (unsigned distance = 1; distance < 32; distance *= 2) {
    const std::uint64_t before = __shfl_up_sync(all_lanes, up_to, distance);
    if (lane >= distance) up_to += before;
  }
  return n > plan.long_from || (up_to > plan.most_of_warp && n > kept);
}

/// The results of those segments of a warp that are `members`, `lanes` lanes for each. By all lanes.
template <class Work, input_layout layout, int lanes, int in_flight, class Index, class Source>
__device__ __forceinline__ void reduce_members(const Source& in, const warp_segments& segments, unsigned members,
                                               const line_bounds& bounds, const typename Work::results& out,
                                               const typename Work::request& asked,
                                               typename Work::storage& storage) {
  constexpr unsigned at_once = 32 / lanes;
  const unsigned lane = threadIdx.x % 32;
  while (members != 0) {
    bool is_line = (members >> lane & 1) != 0;
    int holder = static_cast<int>(lane);  // which has the team's segment
    std::uint64_t begin = segments.span.begin, n = segments.span.n;
    if constexpr (lanes > 1) {
      unsigned from = members;  // the team's, in place lane / lanes of the members, and those behind it
      for (unsigned k = 0; k < lane / lanes; ++k) from &= from - 1;
      is_line = from != 0;
      holder = is_line ? __ffs(static_cast<int>(from)) - 1 : 0;
      begin = __shfl_sync(all_lanes, begin, holder), n = __shfl_sync(all_lanes, n, holder);
    }
    const std::uint64_t index = segments.first + static_cast<unsigned>(holder);
    const auto line = in.piece(index, begin, 0, is_line ? n : 0);
    typename Work::total* const unused = nullptr;
    const auto total =
        total_of_line<Work, layout, in_flight, Index>(in, line, is_line, lane_team<lanes>{}, unused, asked);
    bool is_finished = true;
    if (is_line && lane % lanes == 0) is_finished = finish_line<Work>(total, bounds, out, index, n, asked);
    if constexpr (Work::stays_open) {
      unsigned open = __ballot_sync(all_lanes, !is_finished);
      if (open != 0) {
        const unsigned chosen = Work::choose_scaling(total, bounds);
        for (; open != 0; open &= open - 1) {
          const int leader = __ffs(static_cast<int>(open)) - 1;
          const unsigned scale = __shfl_sync(all_lanes, chosen, leader);
          const std::uint64_t open_begin = __shfl_sync(all_lanes, begin, leader);
          const std::uint64_t open_n = __shfl_sync(all_lanes, n, leader);
          const int of_leader = lanes == 1 ? leader : __shfl_sync(all_lanes, holder, leader);
          const std::uint64_t i = segments.first + static_cast<unsigned>(of_leader);
          Work::again(in.piece(i, open_begin, 0, open_n), lane_team<32>{}, scale, bounds, storage,
                      static_cast<refined_sum*>(nullptr), out, i, open_n, asked);
        }
      }
    }
    if constexpr (lanes == 1) {
      break;
    } else {
      for (unsigned k = 0; k < at_once; ++k) members &= members - 1;
    }
  }
}

/// The classes' bounds, each for its longest segment; of works that need some.
struct segment_bounds {
  line_bounds of_lane, of_group, of_warp;
};
template <class Work, input_layout layout>
segment_bounds bounds_of_segments(std::uint64_t longest_of_warp, int log2_parts) {
  segment_bounds found;
  if constexpr (adds_terms<Work>) {
    constexpr segment_row row = Work::template segments<layout>;
    const auto bounds = [&](std::uint64_t longest, int lanes, int in_flight) {
      return bounds_of_line<Work, layout>(static_cast<std::size_t>(longest) << log2_parts, lanes, in_flight);
    };
    found = {bounds(row.of_lane.longest, 1, row.of_lane.in_flight),
             bounds(row.of_group.longest, 8, row.of_group.in_flight),
             bounds(longest_of_warp, 32, row.of_warp.in_flight)};
  }
  return found;
}

template <class Work, input_layout layout, int threads, int resident>
__global__ void __launch_bounds__(threads, resident)
    segment_kernel(const __grid_constant__ typename Work::template source<layout> in,
                   const __grid_constant__ split_plan plan, const __grid_constant__ segment_bounds bounds,
                   const __grid_constant__ typename Work::results out,
                   const __grid_constant__ typename Work::request asked, line_state* state,
                   wide_unsigned* bad_segment) {
  constexpr segment_row row = Work::template segments<layout>;
  constexpr unsigned warps = threads / 32;
  __shared__ typename Work::storage storage_of_warp[warps];
  begin_kernel(in.length);
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  auto& storage = storage_of_warp[warp];
  const std::size_t step = std::size_t{gridDim.x} * warps * plan.of_warp;
  for (std::size_t first = (std::size_t{blockIdx.x} * warps + warp) * plan.of_warp; first < in.lines.count;
       first += step) {
    const std::size_t index = first + lane;
    bool is_line = lane < plan.of_warp && index < in.lines.count;
    warp_segments segments{first, {}};
    if (is_line) segments.span = in.span(index);
    const std::uint64_t n = segments.span.n;
    if (is_line && n == 0) {
      if (!segments.span.is_valid) note_lowest(bad_segment, index);
      Work::store_none(out, index, segments.span.is_valid, asked);
      is_line = false;
    }
    const bool is_left = leaves_segment(plan, row.kept, is_line ? n : 0);
    if (is_left && append_long_line(*state, plan, index, n)) is_line = false;
    __syncwarp();
    const bool fits_lane = n <= row.of_lane.longest, fits_group = n <= row.of_group.longest;
    reduce_members<Work, layout, 1, row.of_lane.in_flight, unsigned>(
        in, segments, __ballot_sync(all_lanes, is_line && fits_lane), bounds.of_lane, out, asked, storage);
    if constexpr (row.of_lane.longest < unlimited) {
      const bool is_known = !adds_terms<Work> || n <= plan.long_from;
      reduce_members<Work, layout, 8, row.of_group.in_flight, unsigned>(
          in, segments, __ballot_sync(all_lanes, is_line && !fits_lane && fits_group), bounds.of_group, out, asked,
          storage);
      reduce_members<Work, layout, 32, row.of_warp.in_flight, std::size_t>(
          in, segments, __ballot_sync(all_lanes, is_line && !fits_group && is_known), bounds.of_warp, out, asked,
          storage);
      // long ones for which the list has no place: one after the other, each with a bound of its own
      if constexpr (adds_terms<Work>) {
        for (unsigned rest = __ballot_sync(all_lanes, is_line && !fits_group && !is_known); rest != 0;
             rest &= rest - 1) {
          const auto addends =
              static_cast<std::size_t>(__shfl_sync(all_lanes, n, __ffs(static_cast<int>(rest)) - 1))
              << in.log2_parts();
          const line_bounds of_one = bounds_of_line<Work, layout>(addends, 32, row.of_warp.in_flight);
          reduce_members<Work, layout, 32, row.of_warp.in_flight, std::size_t>(in, segments, rest & -rest, of_one,
                                                                               out, asked, storage);
        }
      }
    }
  }
  end_of_input(in.length);
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine

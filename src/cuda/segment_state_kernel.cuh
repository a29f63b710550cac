// States of segments: the exact sum of each stretch between two offsets, of any lengths in any order, added to the
// words of its state.
//
//   a warp   takes up to 32 neighbouring segments, reads their offsets, and sums them one after the other
//   blocks   share long segments, and those that would overload a warp, equally, in a second launch: the warp
//            appends them to a list (split_lines.hpp)
//   last block of a segment that several have: adds its digits to the words
//
// As segment_kernel.cuh and split_line_kernel.cuh, without level 1: digits are integers, so blocks add theirs by
// atomics, and the order changes nothing. Each result gets one canonical state, whatever sums it. The second kernel
// also takes few long lines of one length. Cost of a segment: converting a warp's expansions, carrying, its words.
#pragma once

#include <cuda/last_block.cuh>
#include <cuda/line_state_kernel.cuh>
#include <cuda/segment_kernel.cuh>
#include <cuda/split_line_kernel.cuh>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// Of shared lines; a line that several blocks have needs an accumulator of the workspace.
inline constexpr unsigned max_state_blocks = max_open_sums;

/// Adds the state of an empty segment. By one thread.
__device__ __forceinline__ void add_empty_state(const line_states& to, std::uint64_t index) {
  ++to.at(index)[to.layout.limbs + to.counts - 1];
}

template <class T, input_layout layout, int threads>
__global__ void __launch_bounds__(threads)
    segment_state_kernel(const __grid_constant__ core::term_info term,
                         const __grid_constant__ line_source<T, layout> in, const __grid_constant__ split_plan plan,
                         const __grid_constant__ line_states to, line_state* state, wide_unsigned* bad_segment) {
  constexpr unsigned warps = threads / 32;
  constexpr std::uint64_t kept = 256;  // elements: a warp keeps segments up to this length, for leaves_segment
  constexpr segment_classes classes{{}, {4 * kept, 0}, {}};
  __shared__ line_digits<T> storage_of_warp[warps];
  begin_kernel(in.length);
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const std::size_t step = std::size_t{gridDim.x} * warps * plan.of_warp;
  for (std::size_t first = (std::size_t{blockIdx.x} * warps + warp) * plan.of_warp; first < in.lines.count;
       first += step) {
    const std::size_t index = first + lane;
    bool is_line = lane < plan.of_warp && index < in.lines.count;
    line_span span{};
    if (is_line) span = in.span(index);
    if (is_line && span.n == 0) {
      if (span.is_valid) add_empty_state(to, index);
      if (!span.is_valid) note_bad_segment(bad_segment, index);
      is_line = false;
    }
    const bool is_left = leaves_segment(plan, classes, is_line ? span.n : 0);
    if (is_left && append_long_line(*state, plan, index, span.n)) is_line = false;
    __syncwarp();
    for (unsigned members = __ballot_sync(all_lanes, is_line); members != 0; members &= members - 1) {
      const int holder = __ffs(static_cast<int>(members)) - 1;
      const std::uint64_t begin = __shfl_sync(all_lanes, span.begin, holder);
      const std::uint64_t n = __shfl_sync(all_lanes, span.n, holder);
      const std::uint64_t segment = first + static_cast<unsigned>(holder);
      add_line(term, in.piece(segment, begin, 0, n), lane_team<32>(), to, to.at(segment),
               static_cast<std::int64_t>(n), storage_of_warp[warp]);
    }
  }
  end_of_input(in.length);
}

/// Adds a block's digits to those of a line that several blocks have. True in the last of them, whose storage then
/// has the line's; the accumulator is zero again. By all threads.
template <class T>
__device__ bool join_digits(line_digits<T>& storage, grid_superaccumulator& shared, unsigned& arrived,
                            unsigned others, bool& is_last) {
  contribute_digits(storage.sum, shared);
  if (!is_last_block_for_all(arrived, others + 1, is_last)) return false;
  collect_digits(storage.sum, shared);
  __syncthreads();
  return true;
}

/// The stretch of the long lines that is this block's. By all threads.
template <class T, int threads, class Source>
__device__ void add_stretch(const core::term_info& term, const Source& in, const split_plan& plan,
                            const line_states& to, line_state& state, line_digits<T>& storage, bool& is_last) {
  const long_lines lines(in, plan, state);
  const unit_shares shares = lines.shares();
  const unsigned block = blockIdx.x;
  if (block >= shares.blocks) return;
  std::uint64_t unit = shares.begin(block);
  const std::uint64_t end = shares.begin(block + 1);
  for (found_line line = lines.line_of(unit);; line = lines.next(line)) {
    const std::uint64_t line_end = lines.end_of(line), piece_end = line_end < end ? line_end : end;
    const std::uint64_t from = (unit - line.first_unit) * plan.unit,
                        behind = (piece_end - line.first_unit) * plan.unit;
    const std::uint64_t n = (behind < line.span.n ? behind : line.span.n) - from;
    sum_digits(term, in.piece(line.index, line.span.begin, from, n), block_team<threads>(), storage);
    bool is_whole = unit == line.first_unit && piece_end == line_end;
    if (!is_whole) {
      // only one of the lines that begin in a block goes on in another
      const unsigned first = shares.block_of(line.first_unit), last = shares.block_of(line_end - 1);
      is_whole = join_digits(storage, state.open_sum[first], state.arrived[first], last - first, is_last);
    }
    if (is_whole && threadIdx.x < 32) {
      add_to_state(to, to.at(line.index), static_cast<std::int64_t>(line.span.n), storage.sum,
                   storage.carried_digit);
    }
    __syncthreads();
    unit = piece_end;
    if (unit == end) break;
  }
}

/// Adds the states of long lines, those of the list or all. Empties the list. At most max_state_blocks.
template <class T, input_layout layout, int threads>
__global__ void __launch_bounds__(threads, 1)
    split_state_kernel(const __grid_constant__ core::term_info term,
                       const __grid_constant__ line_source<T, layout> in, const __grid_constant__ split_plan plan,
                       const __grid_constant__ line_states to, line_state* state) {
  __shared__ line_digits<T> storage;
  __shared__ bool is_last;
  begin_kernel(in.length);
  add_stretch<T, threads>(term, in, plan, to, *state, storage, is_last);
  end_of_input(in.length);
  __syncthreads();  // all threads have read the list
  if (!plan.is_listed || threadIdx.x != 0) return;
  if (is_last_block(state->finished, gridDim.x)) {  // no block reads it any more
    state->listed = 0, state->listed_for_balance = 0;
  }
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine

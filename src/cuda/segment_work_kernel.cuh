// Segments whose results are no exact sums (extreme elements, mode fast): one result for each stretch of a vector
// between two offsets, of any lengths in any order.
//
//   a warp            takes up to 32 neighbouring segments, reads their offsets, and has a ballot for each class
//   few lanes each    reduce short segments, 8 lanes each longer ones, the warp all others, one after the other
//   a block each      long ones, and those beyond a warp's share, in a second launch: the warp appends them to a
//   list
//
// As segment_kernel.cuh: nothing is sorted, and the host knows no length. A work says what is computed: its lanes
// for short segments, the longest of each class, reduce<lanes>(…), reduce_by_block<threads>(…) and store_empty(…).
#pragma once

#include <cuda/offsets_kernel.cuh>
#include <cuda/segment_kernel.cuh>
#include <cuda/segment_spans.hpp>

namespace exactdot::cuda_engine {
namespace {

/// The results of those segments of a warp that are `members`, `lanes` lanes for each. By all lanes.
template <int lanes, class Work>
__device__ __forceinline__ void reduce_members(const Work& work, const warp_segments& all, unsigned members,
                                               typename Work::warp_storage& storage) {
  constexpr unsigned at_once = 32 / lanes;
  const unsigned lane = threadIdx.x % 32;
  while (members != 0) {
    unsigned own = members;  // the team's: in place lane / lanes of the members
    for (unsigned k = 0; k < lane / lanes; ++k) own &= own - 1;
    const bool is_line = own != 0;
    const int holder = is_line ? __ffs(static_cast<int>(own)) - 1 : 0;
    const std::uint64_t begin = __shfl_sync(all_lanes, all.span.begin, holder);
    const std::uint64_t n = __shfl_sync(all_lanes, all.span.n, holder);
    work.template reduce<lanes>(all.first + static_cast<unsigned>(holder), begin, is_line ? n : 0, is_line,
                                storage);
    for (unsigned k = 0; k < at_once; ++k) members &= members - 1;
  }
}

template <class Work, int threads, int resident>
__global__ void __launch_bounds__(threads, resident)
    segment_work_kernel(const __grid_constant__ Work work, const __grid_constant__ segment_spans in,
                        const __grid_constant__ split_plan plan, line_state* state,
                        const __grid_constant__ segment_notes notes) {
  constexpr unsigned warps = threads / 32;
  constexpr segment_classes classes{{}, {4 * Work::longest_of_group, 0}, {}};  // for leaves_segment
  __shared__ typename Work::warp_storage storage_of_warp[warps];
  begin_kernel(in.length);
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const std::size_t step = std::size_t{gridDim.x} * warps * plan.of_warp;
  for (std::size_t first = (std::size_t{blockIdx.x} * warps + warp) * plan.of_warp; first < in.count;
       first += step) {
    const std::size_t index = first + lane;
    bool is_line = lane < plan.of_warp && index < in.count;
    warp_segments all{first, {}};
    if (is_line) all.span = in.span(index);
    const std::uint64_t n = all.span.n;
    const bool is_empty = is_line && n == 0;
    if (is_empty && !all.span.is_valid) note_bad_segment(notes.bad, index);
    if (is_empty && all.span.is_valid && notes.empty != nullptr) note_bad_segment(notes.empty, index);
    if (__any_sync(all_lanes, is_empty)) work.store_empty(index, all.span.is_valid, is_empty);
    is_line = is_line && !is_empty;
    const bool is_left = leaves_segment(plan, classes, is_line ? n : 0);
    if (is_left && append_long_line(*state, plan, index, n)) is_line = false;
    __syncwarp();
    const bool is_short = n <= Work::longest_of_few, is_middle = !is_short && n <= Work::longest_of_group;
    reduce_members<Work::few>(work, all, __ballot_sync(all_lanes, is_line && is_short), storage_of_warp[warp]);
    reduce_members<8>(work, all, __ballot_sync(all_lanes, is_line && is_middle), storage_of_warp[warp]);
    reduce_members<32>(work, all, __ballot_sync(all_lanes, is_line && !is_short && !is_middle),
                       storage_of_warp[warp]);
  }
  end_of_input(in.length);
}

/// The segments in the list, a block for each. Empties the list.
template <class Work, int threads, int resident>
__global__ void __launch_bounds__(threads, resident)
    long_segment_work_kernel(const __grid_constant__ Work work, const __grid_constant__ segment_spans in,
                             line_state* state) {
  __shared__ typename Work::template block_storage<threads> storage;
  begin_kernel(in.length);
  constexpr wide_unsigned mask = (wide_unsigned{1} << listed_bits) - 1;
  const auto listed = static_cast<unsigned>(load_word(&state->listed) & mask);
  const unsigned count = listed < max_long_lines ? listed : max_long_lines;
  unsigned turn = 0;
  for (unsigned k = blockIdx.x; k < count; k += gridDim.x) {
    const std::uint64_t index = state->list[k].line;
    const line_span span = in.span(index);
    work.template reduce_by_block<threads>(index, span.begin, span.n, storage, turn);
  }
  __syncthreads();  // all threads have read the list
  if (threadIdx.x != 0) return;
  __threadfence();
  if (atomicAdd(&state->finished, 1U) == gridDim.x - 1) {
    __threadfence();  // no block reads them any more
    state->finished = 0, state->listed = 0, state->listed_for_balance = 0;
  }
}

}  // namespace
}  // namespace exactdot::cuda_engine

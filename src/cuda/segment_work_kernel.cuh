// Segments whose results are no exact sums (extreme elements): one result for each stretch of a vector between two
// offsets, of any lengths in any order.
//
//   a warp            takes up to 32 neighbouring segments, reads their offsets, and has a ballot for each class
//   few lanes each    reduce short segments, 8 lanes each longer ones, the warp all others, one after the other
//   a block each      long ones, and those beyond a warp's share, in a second launch: the warp appends them to a
//   list all blocks        a few that are longer still: each block reduces a part, the last one combines the parts
//
// As segment_kernel.cuh: nothing is sorted, and the host knows no length. A work says what is computed: its lanes
// for short segments, the longest of each class, reduce<lanes>(…), reduce_by_block<threads>(…),
// reduce_part<threads>(…), combine_parts<threads>(…) and store_empty(…).
#pragma once

#include <cuda/last_block.cuh>
#include <cuda/offsets_kernel.cuh>
#include <cuda/segment_kernel.cuh>
#include <cuda/segment_spans.hpp>

namespace exactdot::inline v0_3::cuda_engine {
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

/// Segments that all blocks share, at most, and those blocks: their parts fit into line_state::partial.
inline constexpr unsigned max_shared_segments = 24, max_sharing_blocks = 320;
static_assert(max_shared_segments <= max_open_sums && max_shared_segments * max_sharing_blocks <= max_partials);

/// A part of a segment, or what is known of it: two words.
struct segment_part {
  std::uint64_t first, second;
};
static_assert(sizeof(segment_part) <= sizeof(stored_trace));

/// The part of a block.
__device__ __forceinline__ volatile segment_part* part_of(line_state& state, unsigned place, unsigned block) {
  return reinterpret_cast<volatile segment_part*>(&state.partial[place * gridDim.x + block]);
}

/// Lists a segment that all blocks share: false if the list is full. By one thread.
__device__ __forceinline__ bool append_shared_segment(line_state& state, std::uint64_t segment) {
  // asked before it is changed, so that it cannot grow beyond its bits
  if (__nv_atomic_load_n(&state.open_count, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE) >= max_shared_segments)
    return false;
  const unsigned place = atomicAdd(&state.open_count, 1U);
  if (place >= max_shared_segments) return false;
  state.open_line[place] = segment;
  return true;
}

/// `shared_from`: all blocks share segments of at least so many elements.
template <class Work, int threads, int resident>
__global__ void __launch_bounds__(threads, resident)
    segment_work_kernel(const __grid_constant__ Work work, const __grid_constant__ segment_spans in,
                        const __grid_constant__ split_plan plan, std::uint64_t shared_from, line_state* state,
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
    if (is_left && n >= shared_from && append_shared_segment(*state, index)) is_line = false;
    if (is_left && is_line && append_long_line(*state, plan, index, n)) is_line = false;
    __syncwarp();
    const bool is_short = n <= Work::longest_of_few, is_middle = !is_short && n <= Work::longest_of_group;
    reduce_members<Work::few>(work, all, __ballot_sync(all_lanes, is_line && is_short), storage_of_warp[warp]);
    reduce_members<8>(work, all, __ballot_sync(all_lanes, is_line && is_middle), storage_of_warp[warp]);
    reduce_members<32>(work, all, __ballot_sync(all_lanes, is_line && !is_short && !is_middle),
                       storage_of_warp[warp]);
  }
  end_of_input(in.length);
}

/// Segments that all blocks share, one after the other; then those in the list, a block for each. Empties the
/// lists.
template <class Work, int threads, int resident>
__global__ void __launch_bounds__(threads, resident)
    long_segment_work_kernel(const __grid_constant__ Work work, const __grid_constant__ segment_spans in,
                             line_state* state) {
  __shared__ typename Work::template block_storage<threads> storage;
  __shared__ bool is_last;
  begin_kernel(in.length);
  unsigned turn = 0;
  const unsigned shared = state->open_count < max_shared_segments ? state->open_count : max_shared_segments;
  for (unsigned place = 0; place < shared; ++place) {
    const std::uint64_t index = state->open_line[place];
    const line_span span = in.span(index);
    const segment_part part = work.template reduce_part<threads>(span.begin, span.n, storage, turn);
    if (threadIdx.x == 0) {
      volatile segment_part* const to = part_of(*state, place, blockIdx.x);
      to->first = part.first;
      to->second = part.second;
      is_last = is_last_block(state->arrived[place], gridDim.x);
    }
    __syncthreads();
    if (is_last) {
      segment_part of_block{0, ~std::uint64_t{0}};
      if (threadIdx.x < gridDim.x) {
        const volatile segment_part* const from = part_of(*state, place, threadIdx.x);
        of_block = {from->first, from->second};
      }
      work.template combine_parts<threads>(index, span.n, of_block, storage);
    }
    __syncthreads();
  }
  constexpr wide_unsigned mask = (wide_unsigned{1} << listed_bits) - 1;
  const auto listed = static_cast<unsigned>(load_word(&state->listed) & mask);
  const unsigned count = listed < max_long_lines ? listed : max_long_lines;
  for (unsigned k = blockIdx.x; k < count; k += gridDim.x) {
    const std::uint64_t index = state->list[k].line;
    const line_span span = in.span(index);
    work.template reduce_by_block<threads>(index, span.begin, span.n, storage, turn);
  }
  __syncthreads();  // all threads have read the lists
  if (threadIdx.x != 0) return;
  if (is_last_block(state->finished, gridDim.x)) {  // no block reads them any more
    state->listed = 0, state->listed_for_balance = 0, state->open_count = 0;
  }
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine

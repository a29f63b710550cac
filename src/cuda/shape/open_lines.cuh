// Lines that blocks share and whose rounding their bounds leave open: a list, and the kernel that empties it.
//
//   block        the exact digits of a piece of an open line, in expansions or, if they drop anything, in integers
//   last block   of the line: adds the digits of all, and rounds                      sum/superaccumulator.cuh
//
// It follows every launch that may append to the list, and returns at once if that is empty.
#pragma once

#include <cuda/core/last_block.cuh>
#include <cuda/work/total_of_line.cuh>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// Lines of a work whose exact sums have a place.
template <class Work>
inline constexpr unsigned max_open_lines = max_open_sums / Work::sums;

/// Appends a line to those whose rounding is open: false if there is no place left. By one thread.
template <class Work>
__device__ __forceinline__ bool append_open_line(line_state& state, std::uint64_t line) {
  const unsigned place = atomicAdd(&state.open_count, 1U);
  if (place < max_open_lines<Work>) state.open_line[place] = line;
  return place < max_open_lines<Work>;
}

/// Adds a block's digits and counts to those of all. By all threads; a barrier before.
template <class T>
__device__ __forceinline__ void contribute_digits(const superaccumulator<T>& of_block, grid_superaccumulator& all) {
  for (unsigned i = threadIdx.x; i < digit_layout<T>::count; i += blockDim.x) {
    if (of_block.digit[i] != 0) add_to(&all.digit[i], of_block.digit[i]);
  }
  if (threadIdx.x < 3 && of_block.special[threadIdx.x] != 0) {
    atomicAdd(&all.special[threadIdx.x], of_block.special[threadIdx.x]);
  }
}

/// Moves the digits and counts of all blocks to shared memory. By all threads; a barrier before and after.
template <class T>
__device__ __forceinline__ void collect_digits(superaccumulator<T>& sum, grid_superaccumulator& all) {
  for (unsigned i = threadIdx.x; i < digit_layout<T>::count; i += blockDim.x) {
    sum.digit[i] = __ldcg(&all.digit[i]);
    all.digit[i] = 0;
  }
  if (threadIdx.x < 3) {
    sum.special[threadIdx.x] = __ldcg(&all.special[threadIdx.x]);
    all.special[threadIdx.x] = 0;
  }
  if (threadIdx.x == 0) sum.log2_error = 0;
}

/// What an exact sum is, but for what is added to it.
struct nothing_more {
  template <class Sum>
  __device__ __forceinline__ void operator()(Sum&) const {}
};

/// Adds this block's piece, number `part` of `parts`, of an open line, exactly; who comes last stores the result.
/// By all threads. add_more(sum), by the lanes of a warp: adds to the whole sum before it is rounded.
template <class Work, int threads, class Source, class More = nothing_more>
__device__ __forceinline__ void add_open_piece(const Source& in, std::uint64_t index, const line_span& span,
                                               unsigned place, unsigned part, unsigned parts,
                                               const line_results& out, const line_request& asked,
                                               line_state& state, typename Work::storage& storage, bool& is_last,
                                               const More& add_more = {}) {
  using T = typename Work::carrier;
  const std::uint64_t size = span.n / parts, more = span.n % parts;
  const std::uint64_t first = part * size + (part < more ? part : more), n = size + (part < more ? 1 : 0);
  const auto piece = in.piece(index, span.begin, first, n);
  Work::for_each_sum([&]<class Term>(Term, int which) {
    sum_exactly(core::describe_term<Term>(), Work::addends_of(piece, which), block_team<threads>{}, storage);
    __syncthreads();
    contribute_digits(storage.sum, state.open_sum[place * Work::sums + static_cast<unsigned>(which)]);
    __syncthreads();
  });
  if (!is_last_block_for_all(state.open_arrived[place], parts, is_last)) return;
  const destination to = destination_of(out, index, span.n);
  if constexpr (Work::sums == 2) clear_states(storage, threadIdx.x, threads);
  Work::for_each_sum([&]<class Term>(Term, int which) {
    collect_digits<T>(storage.sum, state.open_sum[place * Work::sums + static_cast<unsigned>(which)]);
    __syncthreads();
    if (threadIdx.x < 32) {
      if constexpr (Work::sums == 2) {
        add_to_state(storage, which);
      } else {
        add_more(storage.sum);
        static_cast<void>(finish_sum(to, storage.sum, storage.carried_digit, storage.words));
      }
    }
    __syncthreads();
  });
  if constexpr (Work::sums == 2) {
    if (threadIdx.x == 0) finish_moments(storage, to, asked.ddof);
    __syncthreads();
  }
}

/// Pieces of an open line of n elements, one of `count`. A block's digits take as long as some 2^14 of its
/// elements, so pieces are smaller than 2^16 only if there would be fewer than blocks, and never than 2^13.
__device__ __forceinline__ unsigned pieces_of_open_line(std::uint64_t n, unsigned count) {
  const std::uint64_t most = n >> 13, enough = gridDim.x / count, wanted = most < enough ? most : enough;
  const std::uint64_t large = n >> 16, parts = (large > wanted ? large : wanted) + 1;
  return parts < gridDim.x ? static_cast<unsigned>(parts) : gridDim.x;
}

/// Clears the lists, in the last block that has read them. By all threads.
__device__ __forceinline__ void clear_lists(line_state& state) {
  __syncthreads();  // all threads of this block have read them
  if (threadIdx.x == 0 && is_last_block(state.finished, gridDim.x)) {
    state.open_count = 0;
    state.listed = 0;
    state.listed_for_balance = 0;
  }
}

/// The results of the open lines. Clears the lists.
template <class Work, input_layout layout, int threads>
__global__ void __launch_bounds__(threads, 2)
    open_line_kernel(const __grid_constant__ typename Work::template source<layout> in,
                     const __grid_constant__ line_results out, const __grid_constant__ line_request asked,
                     line_state* state) {
  __shared__ typename Work::storage storage;
  __shared__ bool is_last;
  begin_kernel(~std::size_t{0});
  const unsigned listed = state->open_count, count = listed < max_open_lines<Work> ? listed : max_open_lines<Work>;
  unsigned first = 0;  // the block of the line's first piece: pieces go round the blocks
  for (unsigned place = 0; place < count; ++place) {
    const std::uint64_t index = state->open_line[place];
    const line_span span = in.span(index);
    const unsigned parts = pieces_of_open_line(span.n, count);
    const unsigned part = (blockIdx.x + gridDim.x - first) % gridDim.x;
    first = (first + parts) % gridDim.x;
    if (part >= parts) continue;
    add_open_piece<Work, threads>(in, index, span, place, part, parts, out, asked, *state, storage, is_last);
    __syncthreads();
  }
  clear_lists(*state);
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine

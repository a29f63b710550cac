// Long lines: the elements of all of them, one after the other, are shared equally among the blocks
// (split_lines.hpp).
//
//   block            traced sums of its stretch of each line                               traced_sum.cuh
//                    a line that it has alone is decided at once
//   last block       of a line that several have: joins their sums, and decides
//   open_line_kernel of lines that this leaves open: all blocks add exact digits of a
//                    piece each; the last one finishes                                     superaccumulator.cuh
//
// No block waits for another: who comes last is found by a fence and a counter (M. Harris: threadFenceReduction).
#pragma once

#include <cuda/line_reduction.cuh>
#include <cuda/segment_tuning.hpp>

namespace exactdot::cuda_engine {
namespace {

/// A long line.
struct found_line {
  std::uint64_t index;
  line_span span;
  std::uint64_t first_unit;
};

/// The long lines of a launch, and how they are shared.
template <class Source>
class long_lines {
 public:
  __device__ __forceinline__ long_lines(const Source& in, const split_plan& plan, const line_state& state)
      : in_(in), plan_(plan), state_(state) {
    if (plan.is_listed) {
      constexpr wide_unsigned mask = (wide_unsigned{1} << listed_bits) - 1;
      const auto listed = static_cast<unsigned>(state.listed & mask);
      count_ = listed < max_long_lines ? listed : max_long_lines;
      // those that found no place have been summed already, but their units have been counted
      if (count_ != 0) shares_.units = end_of(listed_line(static_cast<unsigned>(count_ - 1)));
    } else {
      count_ = in.lines.count;
      shares_.units = count_ * units_of(plan, in.length);
    }
    shares_.blocks = gridDim.x < shares_.units ? gridDim.x : static_cast<unsigned>(shares_.units);
  }

  [[nodiscard]] __device__ __forceinline__ const unit_shares& shares() const { return shares_; }
  [[nodiscard]] __device__ __forceinline__ std::uint64_t end_of(const found_line& line) const {
    return line.first_unit + units_of(plan_, line.span.n);
  }

  /// The line that has this unit. By all threads of a block.
  [[nodiscard]] __device__ __forceinline__ found_line line_of(std::uint64_t unit) const {
    if (!plan_.is_listed) return line_in_grid(unit / units_of(plan_, in_.length));
    unsigned low = 0, end = static_cast<unsigned>(count_);
    while (end - low > 1) {  // each lane looks at one of 32 places
      const unsigned step = (end - low + 31) / 32, place = low + threadIdx.x % 32 * step;
      const bool is_before = place < end && state_.list[place].first_unit <= unit;
      low += step * static_cast<unsigned>(__popc(__ballot_sync(all_lanes, is_before)) - 1);
      end = end < low + step ? end : low + step;
    }
    place_ = low;
    return listed_line(low);
  }
  /// The one after the line found last.
  [[nodiscard]] __device__ __forceinline__ found_line next(const found_line& line) const {
    return plan_.is_listed ? listed_line(++place_) : line_in_grid(line.index + 1);
  }

 private:
  [[nodiscard]] __device__ __forceinline__ found_line line_in_grid(std::uint64_t i) const {
    return {i, in_.span(i), i * units_of(plan_, in_.length)};
  }
  [[nodiscard]] __device__ __forceinline__ found_line listed_line(unsigned place) const {
    const long_line entry = state_.list[place];
    return {entry.line, in_.span(entry.line), entry.first_unit};
  }

  const Source& in_;
  const split_plan& plan_;
  const line_state& state_;
  std::uint64_t count_ = 0;
  unit_shares shares_;
  mutable unsigned place_ = 0;
};

/// The bounds of lines of which a block sums at most `piece` addends: of a grid of the most blocks, whose joins are
/// more than those of a thread that joins two partial sums, and of a block.
template <class Kind>
EXACTDOT_CORE line_bounds bounds_of_split(std::size_t piece, int threads, int in_flight,
                                          std::size_t blocks = max_split_blocks) {
  using T = typename Kind::carrier;
  constexpr int accumulators = 16 / sizeof(T);
  const auto bound = [&](bool products_of_doubles) -> error_bound {
    constexpr double infinity = __builtin_huge_val();  // decides nothing
    if (piece >> 40 != 0) return {infinity, infinity, infinity};
    const sum_shape shape{piece * blocks, static_cast<unsigned>(blocks), static_cast<unsigned>(threads),
                          last_terms_of_line(threads, in_flight), accumulators};
    return bound_of(shape, summation::traced, products_of_doubles);
  };
  if constexpr (Kind::sums == 2) return {bound(false), bound(core::streams_of<core::square, T> == 2)};
  return {bound(core::streams_of<typename Kind::Term, T> == 2), {}};
}

/// Lines of a kind whose exact sums have a place.
template <class Kind>
inline constexpr unsigned max_open_lines = max_open_sums / Kind::sums;

/// Appends a line to those whose rounding is open: false if there is no place left. By one thread.
template <class Kind>
__device__ __forceinline__ bool append_open_line(line_state& state, std::uint64_t line) {
  const unsigned place = atomicAdd(&state.open_count, 1U);
  if (place < max_open_lines<Kind>) state.open_line[place] = line;
  return place < max_open_lines<Kind>;
}

/// Bounds without initialisers, so that they may lie in shared memory.
struct shared_bounds {
  double factor[2], floor[2], of_refined[2];

  __device__ void set(const line_bounds& bounds) {
    factor[0] = bounds.of_sum.factor, floor[0] = bounds.of_sum.floor, of_refined[0] = bounds.of_sum.of_refined;
    factor[1] = bounds.of_squares.factor, floor[1] = bounds.of_squares.floor;
    of_refined[1] = bounds.of_squares.of_refined;
  }
  [[nodiscard]] __device__ line_bounds get() const {
    return {{factor[0], floor[0], of_refined[0]}, {factor[1], floor[1], of_refined[1]}};
  }
};

/// In shared memory, of a block that sums long lines.
template <class Kind, int warps>
struct split_storage {
  typename Kind::storage open;
  typename Kind::total of_warp[warps];
  refined_sum refined_of_warp[warps];
  shared_bounds bounds;
  unsigned scale;
  bool is_last, sums_again;
};

/// Decides a line from its sum, in thread 0. If that is not certain, either the open lines get it, or the block
/// sums it again: storage.sums_again. By one thread. `is_split`: not alone in this block.
template <class Kind, class Storage>
__device__ __forceinline__ void decide_line(const found_line& line, const typename Kind::total& total,
                                            bool is_split, const line_results& out, const line_request& asked,
                                            line_state& state, Storage& storage) {
  const line_bounds bounds = storage.bounds.get();
  const core::decision found = Kind::decide(total, bounds, out.to.rule, line.span.n, asked);
  if (found.certain) store_line<typename Kind::carrier>(out, line.index, found.word);
  storage.scale = Kind::choose_scaling(total, bounds);
  storage.sums_again = !found.certain && !(is_split && append_open_line<Kind>(state, line.index));
}

/// The sum of a line that blocks `first` to `last` have parts of, of which this one has stored its own; in thread
/// 0. By all threads. A block's second partial sum is that of the line that begins in it.
template <class Kind>
__device__ __forceinline__ typename Kind::total join_partials(const line_state& state, unsigned first,
                                                              unsigned last, typename Kind::total* of_warp) {
  typename Kind::total total{};
  for (unsigned block = first + threadIdx.x; block <= last; block += blockDim.x) {
    typename Kind::total next{};
    Kind::load(&state.partial[(2 * block + (block == first ? 1 : 0)) * Kind::sums], next);
    total.join(next);
  }
  __syncwarp();
  return sum_of_block(total, of_warp, blockDim.x / 32);
}

template <class Kind, input_layout layout, int threads, int in_flight, int resident>
__global__ void __launch_bounds__(threads, resident)
    split_line_kernel(const __grid_constant__ line_source<typename Kind::carrier, layout> in,
                      const __grid_constant__ split_plan plan, const __grid_constant__ line_results out,
                      const __grid_constant__ line_request asked, line_state* state) {
  static_assert(layout == input_layout::contiguous || in_flight >= pack<typename Kind::carrier>::count,
                "bounds_of_split");
  __shared__ split_storage<Kind, threads / 32> storage;
  begin_kernel(0);  // open_line_kernel follows: it may wait beside these blocks, all of which are resident
  const long_lines lines(in, plan, *state);
  const unit_shares shares = lines.shares();
  const unsigned block = blockIdx.x;
  if (block >= shares.blocks) return;
  std::uint64_t unit = shares.begin(block);
  const std::uint64_t end = shares.begin(block + 1);
  if (threadIdx.x == 0) {
    const std::uint64_t most = (shares.units / shares.blocks + 1) * plan.unit << in.log2_parts();
    storage.bounds.set(bounds_of_split<Kind>(most, threads, in_flight));
  }
  const block_team<threads> team;
  for (found_line line = lines.line_of(unit);; line = lines.next(line)) {
    const std::uint64_t line_end = lines.end_of(line), piece_end = line_end < end ? line_end : end;
    const std::uint64_t from = (unit - line.first_unit) * plan.unit, to = (piece_end - line.first_unit) * plan.unit;
    const std::uint64_t n = (to < line.span.n ? to : line.span.n) - from;
    auto total = total_of_line<Kind, layout, in_flight, std::size_t>(in.piece(line.index, line.span.begin, from, n),
                                                                     true, team, storage.of_warp);
    const bool is_split = unit != line.first_unit || piece_end != line_end;
    unsigned first = block;
    if (is_split) {
      first = shares.block_of(line.first_unit);
      const unsigned last = shares.block_of(line_end - 1);
      if (threadIdx.x == 0) {
        Kind::store(total, &state->partial[(2 * block + (block == first ? 1 : 0)) * Kind::sums]);
        __threadfence();
        storage.is_last = atomicAdd(&state->arrived[first], 1U) == last - first;
        if (storage.is_last) state->arrived[first] = 0;
        __threadfence();  // before any thread reads the other blocks' sums
      }
      __syncthreads();
      if (storage.is_last) total = join_partials<Kind>(*state, first, last, storage.of_warp);
    }
    if (threadIdx.x == 0) {
      storage.sums_again = false;
      if (!is_split || storage.is_last) decide_line<Kind>(line, total, is_split, out, asked, *state, storage);
    }
    __syncthreads();
    if (storage.sums_again) {
      const unsigned scale = storage.scale;
      const line_bounds bounds = storage.bounds.get();
      Kind::again(in.piece(line.index, line.span.begin, 0, line.span.n), team, scale, bounds, storage.open,
                  storage.refined_of_warp, destination_of(out, line.index, line.span.n), asked);
      __syncthreads();
    }
    unit = piece_end;
    if (unit == end) break;
  }
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

/// Calls work(term, which) for the sums of a kind.
template <class Kind, class Work>
__device__ __forceinline__ void for_each_sum(Work work) {
  if constexpr (Kind::sums == 2) {
    work(core::value{}, 0);
    work(core::square{}, 1);
  } else {
    work(typename Kind::Term{}, 0);
  }
}

/// Adds this block's piece, number `part` of `parts`, of an open line, exactly; who comes last stores the result.
/// By all threads.
template <class Kind, int threads, class Source>
__device__ __forceinline__ void add_open_piece(const Source& in, std::uint64_t index, const line_span& span,
                                               unsigned place, unsigned part, unsigned parts,
                                               const line_results& out, const line_request& asked,
                                               line_state& state, typename Kind::storage& storage, bool& is_last) {
  using T = typename Kind::carrier;
  const std::uint64_t size = span.n / parts, more = span.n % parts;
  const std::uint64_t first = part * size + (part < more ? part : more), n = size + (part < more ? 1 : 0);
  const auto piece = in.piece(index, span.begin, first, n);
  for_each_sum<Kind>([&]<class Term>(Term, int which) {
    sum_exactly<Term>(piece, block_team<threads>{}, storage);
    __syncthreads();
    contribute_digits(storage.sum, state.open_sum[place * Kind::sums + static_cast<unsigned>(which)]);
    __syncthreads();
  });
  if (threadIdx.x == 0) {
    __threadfence();  // for the whole block
    is_last = atomicAdd(&state.open_arrived[place], 1U) == parts - 1;
    if (is_last) state.open_arrived[place] = 0;
    __threadfence();
  }
  __syncthreads();
  if (!is_last) return;
  const destination to = destination_of(out, index, span.n);
  if constexpr (Kind::sums == 2) clear_states(storage, threadIdx.x, threads);
  for_each_sum<Kind>([&]<class Term>(Term, int which) {
    collect_digits<T>(storage.sum, state.open_sum[place * Kind::sums + static_cast<unsigned>(which)]);
    __syncthreads();
    if (threadIdx.x < 32) {
      if constexpr (Kind::sums == 2) {
        add_to_state(storage, which);
      } else {
        static_cast<void>(finish_sum(to, storage.sum, storage.carried_digit, storage.words));
      }
    }
    __syncthreads();
  });
  if constexpr (Kind::sums == 2) {
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

/// The results of the open lines. The last block to end clears the lists.
template <class Kind, input_layout layout, int threads>
__global__ void __launch_bounds__(threads, 2)
    open_line_kernel(const __grid_constant__ line_source<typename Kind::carrier, layout> in,
                     const __grid_constant__ line_results out, const __grid_constant__ line_request asked,
                     line_state* state) {
  __shared__ typename Kind::storage storage;
  __shared__ bool is_last;
  begin_kernel(~std::size_t{0});
  const unsigned listed = state->open_count, count = listed < max_open_lines<Kind> ? listed : max_open_lines<Kind>;
  unsigned first = 0;  // the block of the line's first piece: pieces go round the blocks
  for (unsigned place = 0; place < count; ++place) {
    const std::uint64_t index = state->open_line[place];
    const line_span span = in.span(index);
    const unsigned parts = pieces_of_open_line(span.n, count);
    const unsigned part = (blockIdx.x + gridDim.x - first) % gridDim.x;
    first = (first + parts) % gridDim.x;
    if (part >= parts) continue;
    add_open_piece<Kind, threads>(in, index, span, place, part, parts, out, asked, *state, storage, is_last);
    __syncthreads();
  }
  __syncthreads();  // all threads have read the count
  if (threadIdx.x != 0) return;
  __threadfence();
  if (atomicAdd(&state->finished, 1U) == gridDim.x - 1) {
    __threadfence();  // no block reads them any more
    state->finished = 0;
    state->open_count = 0;
    state->listed = 0;
    state->listed_for_balance = 0;
  }
}

}  // namespace
}  // namespace exactdot::cuda_engine

// Long lines: the elements of all of them, one after the other, are shared equally among the blocks
// (split_lines.hpp).
//
//   block            traced sums of its stretch of each line                               traced_sum.cuh
//                    a line that it has alone is decided at once
//   last block       of a line that several have: joins their sums, and decides
//   open_line_kernel of lines that this leaves open                                        open_line_kernel.cuh
//
// No block waits for another: last_block.cuh.
#pragma once

#include <cuda/last_block.cuh>
#include <cuda/open_line_kernel.cuh>
#include <cuda/segment_tuning.hpp>

namespace exactdot::inline v0_3::cuda_engine {
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
  return bounds_of_kind<Kind>(bound);
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
  static_assert(is_bounded<Kind, layout, in_flight>, "bounds_of_split");
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
    storage.bounds.set(bounds_of_split<Kind>(most, threads, counted_in_flight<layout>(in_flight)));
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
        storage.is_last = is_last_block(state->arrived[first], last - first + 1);
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

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine

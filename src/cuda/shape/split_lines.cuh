// Long lines: the elements of all of them, one after the other, are shared equally among the blocks
// (core/split_lines.hpp).
//
//   block            a work's total of its stretch of each line                          work/total_of_line.cuh
//                    a line that it has alone is finished at once
//   last block       of a line that several have: joins their totals, and finishes it
//   open_line_kernel of lines that this leaves open: of works whose lines may stay so    open_lines.cuh
//
// No block waits for another: core/last_block.cuh. Cost of a line that several blocks have: a store and a load for
// each.
#pragma once

#include <cuda/core/last_block.cuh>
#include <cuda/core/line_tuning.hpp>
#include <cuda/shape/open_lines.cuh>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// A long line.
struct found_line {
  std::uint64_t index;
  line_span span;
  std::uint64_t first_unit;
};

/// Of lists, in place of the list of long lines in the state.
template <class Source>
inline constexpr bool has_table = requires {
  Source::is_table;
};

/// The long lines of a launch, and how they are shared.
template <class Source>
class long_lines {
 public:
  __device__ __forceinline__ long_lines(const Source& in, const split_plan& plan, const line_state& state)
      : in_(in), plan_(plan), state_(state) {
    if constexpr (has_table<Source>) {
      count_ = in.lines.count, shares_.units = in.length / plan.unit;
    } else if (plan.is_listed) {
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
    if (!is_listed()) return line_in_grid(unit / units_of(plan_, in_.length));
    unsigned low = 0, end = static_cast<unsigned>(count_);
    while (end - low > 1) {  // each lane looks at one of 32 places
      const unsigned step = (end - low + 31) / 32, place = low + threadIdx.x % 32 * step;
      const bool is_before = place < end && entry(place).first_unit <= unit;
      low += step * static_cast<unsigned>(__popc(__ballot_sync(all_lanes, is_before)) - 1);
      end = end < low + step ? end : low + step;
    }
    place_ = low;
    return listed_line(low);
  }
  /// The one after the line found last.
  [[nodiscard]] __device__ __forceinline__ found_line next(const found_line& line) const {
    return is_listed() ? listed_line(++place_) : line_in_grid(line.index + 1);
  }

 private:
  [[nodiscard]] __device__ __forceinline__ bool is_listed() const { return has_table<Source> || plan_.is_listed; }
  [[nodiscard]] __device__ __forceinline__ long_line entry(unsigned place) const {
    if constexpr (has_table<Source>) {
      return in_.listed(place);
    } else {
      return state_.list[place];
    }
  }
  [[nodiscard]] __device__ __forceinline__ found_line line_in_grid(std::uint64_t i) const {
    return {i, in_.span(i), i * units_of(plan_, in_.length)};
  }
  [[nodiscard]] __device__ __forceinline__ found_line listed_line(unsigned place) const {
    const long_line listed = entry(place);
    return {listed.line, in_.span(listed.line), listed.first_unit};
  }

  const Source& in_;
  const split_plan& plan_;
  const line_state& state_;
  std::uint64_t count_ = 0;
  unit_shares shares_;
  mutable unsigned place_ = 0;
};

/// A block's piece of a long line: elements from `first` on.
struct line_piece {
  found_line line;
  std::uint64_t first, n;
  unsigned first_block, last_block;  ///< that have pieces of the line

  [[nodiscard]] __device__ __forceinline__ bool is_split() const { return first_block != last_block; }
};

/// Calls reduce(piece) for the pieces of this block, which has some. By all threads.
template <class Source, class Reduce>
__device__ __forceinline__ void for_each_piece(const long_lines<Source>& lines, const split_plan& plan,
                                               Reduce reduce) {
  const unit_shares shares = lines.shares();
  const unsigned block = blockIdx.x;
  std::uint64_t unit = shares.begin(block);
  const std::uint64_t end = shares.begin(block + 1);
  for (found_line line = lines.line_of(unit);; line = lines.next(line)) {
    const std::uint64_t line_end = lines.end_of(line), piece_end = line_end < end ? line_end : end;
    const std::uint64_t from = (unit - line.first_unit) * plan.unit, to = (piece_end - line.first_unit) * plan.unit;
    line_piece piece{line, from, (to < line.span.n ? to : line.span.n) - from, block, block};
    if (unit != line.first_unit || piece_end != line_end) {
      piece.first_block = shares.block_of(line.first_unit), piece.last_block = shares.block_of(line_end - 1);
    }
    if (piece.n != 0) reduce(piece);
    unit = piece_end;
    if (unit == end) break;
  }
}

/// The bounds of lines of which a block sums at most `piece` addends: of a grid of the most blocks, whose joins are
/// more than those of a thread that joins two partial sums, and of a block.
template <class Work>
EXACTDOT_CORE line_bounds bounds_of_split(std::size_t piece, int threads, int in_flight,
                                          std::size_t blocks = max_split_blocks) {
  using T = typename Work::carrier;
  constexpr int accumulators = 16 / sizeof(T);
  const auto bound = [&](bool products_of_doubles) -> error_bound {
    constexpr double infinity = __builtin_huge_val();  // decides nothing
    if (piece >> 40 != 0) return {infinity, infinity, infinity};
    const sum_shape shape{piece * blocks, static_cast<unsigned>(blocks), static_cast<unsigned>(threads),
                          last_terms_of_line(threads, in_flight), accumulators};
    return bound_of(shape, summation::traced, products_of_doubles);
  };
  return bounds_of_work<Work>(bound);
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

/// In shared memory, of a block that reduces long lines.
template <class Work, int warps>
struct split_storage {
  typename Work::storage open;
  typename Work::total of_warp[warps];
  refined_sum refined_of_warp[warps];
  shared_bounds bounds;
  unsigned scale;
  bool is_last, reads_again;
};

/// The place of a block's total of a line: its second one is that of the line that begins in it.
template <class Work>
__device__ __forceinline__ stored_trace* partial_of(line_state& state, unsigned block, unsigned first_block) {
  return &state.partial[(2 * block + (block == first_block ? 1 : 0)) * Work::sums];
}

/// The total of a line that several blocks have pieces of, in thread 0, or {} if other blocks have yet to store
/// theirs: then storage.is_last is false. By all threads; `total`: of thread 0.
template <class Work, class Storage>
__device__ __forceinline__ typename Work::total join_pieces(const line_piece& piece,
                                                            const typename Work::total& total, line_state& state,
                                                            Storage& storage) {
  const unsigned first = piece.first_block, last = piece.last_block;
  if (threadIdx.x == 0) {
    Work::store(total, partial_of<Work>(state, blockIdx.x, first));
    storage.is_last = is_last_block(state.arrived[first], last - first + 1);
  }
  __syncthreads();
  typename Work::total joined{};
  if (!storage.is_last) return joined;
  for (unsigned block = first + threadIdx.x; block <= last; block += blockDim.x) {
    typename Work::total next{};
    Work::load(partial_of<Work>(state, block, first), next);
    joined.join(next);
  }
  __syncwarp();
  return sum_of_block(joined, storage.of_warp, blockDim.x / 32);
}

/// A piece of a line, and the result of the line if no other block has yet to come. By all threads; a barrier
/// behind.
template <class Work, input_layout layout, int threads, int in_flight, class Source>
__device__ __forceinline__ void reduce_piece(const Source& in, const line_piece& piece,
                                             const typename Work::results& out, const typename Work::request& asked,
                                             line_state& state, split_storage<Work, threads / 32>& storage) {
  const block_team<threads> team;
  const std::uint64_t index = piece.line.index, n = piece.line.span.n;
  auto total = total_of_line<Work, layout, in_flight, std::size_t>(
      in, in.piece(index, piece.line.span.begin, piece.first, piece.n), true, team, storage.of_warp, asked);
  if (piece.is_split()) total = join_pieces<Work>(piece, total, state, storage);
  if (threadIdx.x == 0) {
    storage.reads_again = false;
    if (!piece.is_split() || storage.is_last) {
      line_bounds bounds{};
      if constexpr (adds_terms<Work>) bounds = storage.bounds.get();
      const bool is_finished = finish_line<Work>(total, bounds, out, index, n, asked);
      if constexpr (adds_terms<Work>) {  // either the open lines get it, or the block reads it again
        storage.scale = Work::choose_scaling(total, bounds);
        storage.reads_again = !is_finished && !(piece.is_split() && append_open_line<Work>(state, index));
      }
    }
  }
  __syncthreads();
  if constexpr (adds_terms<Work>) {
    if (storage.reads_again) {
      const unsigned scale = storage.scale;
      const line_bounds bounds = storage.bounds.get();
      Work::again(in.piece(index, piece.line.span.begin, 0, n), team, scale, bounds, storage.open,
                  storage.refined_of_warp, out, index, n, asked);
      __syncthreads();
    }
  }
}

template <class Work, input_layout layout, int threads, int in_flight, int resident>
__global__ void __launch_bounds__(threads, resident)
    split_line_kernel(const __grid_constant__ typename Work::template source<layout> in,
                      const __grid_constant__ split_plan plan, const __grid_constant__ typename Work::results out,
                      const __grid_constant__ typename Work::request asked, line_state* state) {
  __shared__ split_storage<Work, threads / 32> storage;
  // if open_line_kernel follows, it may wait beside these blocks, all of which are resident
  begin_kernel(adds_terms<Work> ? 0 : in.length);
  using Source = typename Work::template source<layout>;
  const long_lines lines(in, plan, *state);
  const unit_shares shares = lines.shares();
  if constexpr (adds_terms<Work>) {
    static_assert(is_bounded<Work, layout, in_flight>, "bounds_of_split");
    if (blockIdx.x >= shares.blocks) return;
    if (threadIdx.x == 0) {
      const std::uint64_t units = shares.units / shares.blocks + 1;
      int counted = counted_in_flight<layout>(in_flight);
      if constexpr (has_table<Source>) counted += 2 * in.joins_of(units);  // a join is as deep as two terms
      storage.bounds.set(bounds_of_split<Work>(units * plan.unit << in.log2_parts(), threads, counted));
    }
  }
  if (blockIdx.x < shares.blocks) {
    for_each_piece(lines, plan, [&](const line_piece& piece) {
      if constexpr (requires { Work::has_pieces; }) {
        Work::template add_piece<threads>(in, piece, out, asked, *state, storage.open, storage.is_last);
      } else {
        reduce_piece<Work, layout, threads, in_flight>(in, piece, out, asked, *state, storage);
      }
    });
  }
  if constexpr (!adds_terms<Work>) {
    end_of_input(in.length);
    if (plan.is_listed) clear_lists(*state);
  }
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine

// Long columns of which there are too few to give every block some: several blocks read rows of the same columns.
//
//   block        a work's totals of its rows of neighbouring columns, each by some of its threads
//   line_reduction.cuh last block   of those columns: joins all blocks' totals, and finishes open_line_kernel of
//   columns that this leaves open
//
// The same kernel computes columns that are a block's alone, for works that column_kernel has not.
#pragma once

#include <cuda/last_block.cuh>
#include <cuda/split_line_kernel.cuh>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// The bounds of columns of which a block sums at most `rows` rows: of a grid of so many blocks that its joins are
/// more than those of sum_of_columns twice, and of max_split_blocks partial sums by as few as 8 threads.
template <class Work>
EXACTDOT_CORE line_bounds bounds_of_columns(std::size_t rows, int lanes, int in_flight) {
  return bounds_of_split<Work>(rows, lanes, in_flight, 8 * max_split_blocks);
}

/// Rows in turns of the threads' loops, which blocks share: only the last one reads rows one by one.
struct row_shares {
  std::size_t turns, of_turn, parts;

  [[nodiscard]] EXACTDOT_CORE std::size_t begin(std::size_t part, std::size_t rows) const {
    const std::size_t first = turns * part / parts * of_turn;
    return first < rows ? first : rows;
  }
  /// The most rows of a block.
  [[nodiscard]] EXACTDOT_CORE std::size_t most() const { return (turns + parts - 1) / parts * of_turn; }
};
EXACTDOT_CORE row_shares share_rows(std::size_t rows, std::size_t parts, std::size_t of_turn) {
  return {(rows + of_turn - 1) / of_turn, of_turn, parts};
}

template <class Work, int threads, int columns, int in_flight, int resident>
__global__ void __launch_bounds__(threads, resident)
    split_column_kernel(const __grid_constant__ typename Work::columns in, unsigned parts,
                        const __grid_constant__ line_bounds bounds,
                        const __grid_constant__ typename Work::results out,
                        const __grid_constant__ typename Work::request asked, line_state* state) {
  using Total = typename Work::total;
  constexpr unsigned lanes = threads / columns;
  __shared__ typename Work::storage storage;
  __shared__ Total of_warp[threads / 32][columns];
  __shared__ refined_sum refined_of_warp[threads / 32];
  __shared__ unsigned scale[columns];
  __shared__ unsigned open_columns;
  __shared__ bool is_last;
  begin_kernel(~std::size_t{0});
  const column_team<threads, columns> team;
  const unsigned column = threadIdx.x % columns;
  const std::size_t panels = (in.count + columns - 1) / columns;
  std::size_t n = 0;
  if constexpr (adds_terms<Work>) {
    static_assert(in_flight >= pack<typename Work::carrier>::count && lanes >= 8, "bounds_of_columns");
    n = in.first.n;
  } else {
    n = in.n;
  }
  const row_shares shares = share_rows(n, parts, lanes * in_flight);
  for (std::size_t unit = blockIdx.x; unit < panels * parts; unit += gridDim.x) {
    const std::size_t panel = unit / parts, part = unit % parts, index = panel * columns + column;
    const bool is_line = index < in.count;
    Total total{};
    if (is_line) {
      total =
          total_of_rows<Work, in_flight>(in, index, shares.begin(part, n), shares.begin(part + 1, n), team, asked);
    }
    total = sum_of_columns<threads, columns>(total, of_warp);
    if (parts > 1) {
      if (threadIdx.x < columns) Work::store(total, &state->partial[(unit * columns + column) * Work::sums]);
      if (!is_last_block_for_all(state->arrived[panel], parts, is_last)) continue;
      total = Total{};
      for (unsigned other = threadIdx.x / columns; other < parts; other += lanes) {
        Total next{};
        Work::load(&state->partial[((panel * parts + other) * columns + column) * Work::sums], next);
        total.join(next);
      }
      __syncwarp();
      total = sum_of_columns<threads, columns>(total, of_warp);
    }
    if (threadIdx.x < 32) {
      bool is_finished = true;
      if (threadIdx.x < columns && is_line) {
        is_finished = finish_line<Work>(total, bounds, out, index, n, asked);
        if constexpr (Work::stays_open) {
          scale[column] = Work::choose_scaling(total, bounds);
          if (!is_finished && parts > 1) is_finished = append_open_line<Work>(*state, index);
        }
      }
      const unsigned open = __ballot_sync(all_lanes, !is_finished);
      if (threadIdx.x == 0) open_columns = open;
    }
    __syncthreads();
    if constexpr (Work::stays_open) {
      for (unsigned open = open_columns; open != 0; open &= open - 1) {
        const auto next = static_cast<unsigned>(__ffs(static_cast<int>(open)) - 1);
        const std::size_t i = panel * columns + next;
        Work::again(in.line(i), block_team<threads>{}, scale[next], bounds, storage, refined_of_warp, out, i, n,
                    asked);
      }
      __syncthreads();
    }
  }
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine

// Short columns: many, of few rows each. A thread has some neighbouring ones alone and decides them, so that no
// block waits at a barrier: with the blocks of columns.cuh 64 rows of 2^19 columns took 4 to 12 times reading
// (H100, 2026-11-26).
#pragma once

#include <cuda/shape/columns.cuh>
#include <cuda/shape/lines.cuh>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// `width`: as in columns.cuh.
template <class Work, input_layout layout, int threads, int width, int in_flight, int resident>
__global__ void __launch_bounds__(threads, resident)
    short_column_kernel(const __grid_constant__ typename Work::template columns<layout> in,
                        const __grid_constant__ line_bounds bounds,
                        const __grid_constant__ typename Work::results out,
                        const __grid_constant__ typename Work::request asked) {
  if constexpr (adds_terms<Work>) static_assert(is_bounded<Work, layout, in_flight>, "bound_of_line");
  __shared__ typename Work::storage storage_of_warp[threads / 32];
  begin_kernel(~std::size_t{0});
  constexpr std::size_t of_warp = 32 * width, of_block = threads * width;
  const unsigned warp = threadIdx.x / 32;
  const std::size_t n = rows_of<Work>(in, out);
  for (std::size_t first = blockIdx.x * of_block + warp * of_warp; first < in.count;
       first += gridDim.x * of_block) {
    const std::size_t column = first + threadIdx.x % 32 * width;
    typename Work::total totals[width] = {};
    if (column < in.count) {
      reduce_rows<Work, layout, width, in_flight>(in, column, 0, n, lane_team<1>{}, asked, totals);
    }
#pragma unroll
    for (int j = 0; j < width; ++j) {
      const auto number_of = [&](unsigned lane) { return first + lane * width + static_cast<std::size_t>(j); };
      const std::size_t index = number_of(threadIdx.x % 32);
      const bool is_line = index < in.count;
      if constexpr (Work::stays_open) {
        finish_lines_of_warp<Work>(in, totals[j], is_line, number_of, bounds, storage_of_warp[warp], out, asked);
      } else {
        if (is_line) finish_line<Work>(totals[j], bounds, out, index, n, asked);
      }
    }
  }
  end_of_input(~std::size_t{0});
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine

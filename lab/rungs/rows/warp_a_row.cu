// warp_a_row: the lanes of a warp share a row.
//
// Before: the threads of a warp read addresses that are a row apart.
// Idea: 32 lanes read 32 neighbouring elements, and fold their sums by shuffles. Who adds what depends on the
// length of the row only: the same bits for every launch. Cost: five shuffles a row. Rows shorter than a warp leave
// lanes idle; few long rows leave most of the GPU idle.
#include <lab/rows.cuh>

namespace exactdot::lab {
namespace {

template <class T>
__global__ void add_row_per_warp(matrix<T> in, T* sums) {
  const unsigned lane = threadIdx.x % 32;
  for (std::size_t row = thread_in_grid() / 32; row < in.rows; row += threads_in_grid() / 32) {
    T value = 0;
    for (std::size_t i = in.first(row) + lane; i < in.end(row); i += 32) value += in.a[i];
    value = fold_warp<sum>(value);
    if (lane == 0) sums[row] = value;
  }
}

template <class T>
struct warp_a_row {
  const input<T>& in;
  gpu::buffer<T> sums{in.stream, in.results};

  void launch() { gpu::launch(add_row_per_warp<T>, in.grid, in.block, 0, in.stream, matrix_of(in), sums.data()); }
  std::vector<T> results() { return all_values(sums); }
};

const register_sum_rung<warp_a_row> registration{
    {.number = 2,
     .name = "warp_a_row",
     .file = "warp_a_row.cu",
     .summary = "neighbouring lanes read neighbouring elements; the same bits for every launch",
     .blocks = block_rule::whole_warps,
     .grid = grid_rule::warp_a_row,
     .same_bits = determinism::always,
     .roundings = [](const launch_config& config) { return chain_of_row(config, 32) + 5; },
     .workload = "rows"}};

}  // namespace
}  // namespace exactdot::lab

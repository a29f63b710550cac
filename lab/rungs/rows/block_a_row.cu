// block_a_row: the threads of a block share a row.
//
// Before: a warp keeps few loads in flight, and a long row waits for one warp.
// Idea: all warps of the block read the row, and combine their sums through shared memory, as in shuffle_block.
// Cost: two barriers a row, and idle threads if a row is shorter than the block. The bits depend on the block size.
#include <lab/rows.cuh>

namespace exactdot::lab {
namespace {

template <class T>
__global__ void add_row_per_block(matrix<T> in, T* sums) {
  for (std::size_t row = blockIdx.x; row < in.rows; row += gridDim.x) {
    T value = 0;
    for (std::size_t i = in.first(row) + threadIdx.x; i < in.end(row); i += blockDim.x) value += in.a[i];
    value = combine_block<sum>(value);
    if (threadIdx.x == 0) sums[row] = value;
    __syncthreads();
  }
}

template <class T>
struct block_a_row {
  const input<T>& in;
  gpu::buffer<T> sums{in.stream, in.results};

  void launch() { gpu::launch(add_row_per_block<T>, in.grid, in.block, 0, in.stream, matrix_of(in), sums.data()); }
  std::vector<T> results() { return all_values(sums); }
};

const register_sum_rung<block_a_row> registration{
    {.number = 3,
     .name = "block_a_row",
     .file = "block_a_row.cu",
     .summary = "for long rows; short ones leave threads idle, and the bits depend on the block size",
     .blocks = block_rule::whole_warps,
     .grid = grid_rule::block_a_row,
     .same_bits = determinism::fixed_grid,
     .roundings = [](const launch_config& config) { return chain_of_row(config, config.block) + 10; },
     .workload = "rows"}};

}  // namespace
}  // namespace exactdot::lab

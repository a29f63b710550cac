// split_row_atomics: several blocks share a row, and add their sums to its result by atomics.
//
// Before: a block a row leaves multiprocessors idle if rows are fewer than they.
// Idea: with more blocks than rows, grid / rows blocks share each; one atomic a block joins their sums.
// Cost: the results have to be cleared first, and the atomics arrive in any order: the last bits of a row may
// change from run to run.
#include <lab/rows.cuh>

namespace exactdot::lab {
namespace {

template <class T>
__global__ void add_row_by_atomics(matrix<T> in, unsigned blocks_a_row, T* sums) {
  for (std::size_t share = blockIdx.x; share < in.rows * blocks_a_row; share += gridDim.x) {
    const std::size_t row = share / blocks_a_row, start = share % blocks_a_row * blockDim.x + threadIdx.x;
    T value = 0;
    for (std::size_t i = in.first(row) + start; i < in.end(row); i += std::size_t{blocks_a_row} * blockDim.x)
      value += in.a[i];
    value = combine_block<sum>(value);
    if (threadIdx.x == 0) atomicAdd(&sums[row], value);
    __syncthreads();
  }
}

template <class T>
struct split_row_atomics {
  const input<T>& in;
  gpu::buffer<T> sums{in.stream, in.results};

  void launch() {
    reset<sum>(sums, in.stream);
    gpu::launch(add_row_by_atomics<T>, in.grid, in.block, 0, in.stream, matrix_of(in),
                blocks_of_row(in.grid, in.results), sums.data());
  }
  std::vector<T> results() { return all_values(sums); }
};

const register_sum_rung<split_row_atomics> registration{
    {.number = 4,
     .name = "split_row_atomics",
     .file = "split_row_atomics.cu",
     .summary = "fills the GPU with few long rows; bits change from run to run",
     .blocks = block_rule::whole_warps,
     .grid = grid_rule::many,
     .roundings =
         [](const launch_config& config) {
           const std::uint64_t blocks = blocks_of_row(config);
           return chain_of_row(config, blocks * config.block) + 10 + blocks;
         },
     .atomics = [](const launch_config& config) -> std::uint64_t {
       return rows_of(config.n, config.parts) * blocks_of_row(config);
     },
     .workload = "rows"}};

}  // namespace
}  // namespace exactdot::lab

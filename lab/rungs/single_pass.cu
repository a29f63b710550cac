// single_pass: one launch; the last block to finish adds the sums of all blocks.
//
// Before: a second launch is needed only to know that all blocks have finished.
// Idea: each block stores its sum, then draws a ticket from a counter. The block with the last ticket adds all
// sums, in the order of blocks, not of arrival. The fence before the draw makes the sum visible before the ticket;
// the fence after it keeps the reads behind the draw. atomicInc wraps to 0, ready for the next launch.
// Cost: one integer atomic per block, and half the launches. The same bits every run.
#include <lab/block_combine.cuh>
#include <lab/wide_loads.cuh>

namespace exactdot::lab {
namespace {

template <class Op, class T>
__global__ void combine_in_one_launch(const T* a, const T* b, std::size_t n, T* partials, unsigned* blocks_finished,
                                      T* out) {
  __shared__ bool is_last;
  const T value = combine_block<Op>(add_wide<Op>(a, b, n));
  if (threadIdx.x == 0) {
    partials[blockIdx.x] = value;
    __threadfence();
    is_last = atomicInc(blocks_finished, gridDim.x - 1) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (!is_last) return;
  const T total = combine_all<Op>(partials, gridDim.x);
  if (threadIdx.x == 0) *out = total;
}

template <class T, class Op>
struct single_pass {
  explicit single_pass(const input<T>& given) : in(given) { blocks_finished.fill_zero(); }

  const input<T>& in;
  gpu::buffer<T> partials{in.stream, in.grid};
  gpu::buffer<T> out{in.stream, 1};
  gpu::buffer<unsigned> blocks_finished{in.stream, 1};

  void launch() {
    gpu::launch(combine_in_one_launch<Op, T>, in.grid, in.block, 0, in.stream, in.a, in.b, in.n, partials.data(),
                blocks_finished.data(), out.data());
  }
  T result() { return only_value(out); }
};

const register_rung<single_pass> registration{
    {.number = 15,
     .name = "single_pass",
     .file = "single_pass.cu",
     .summary = "half the launches of optimized, with the same bits for one grid",
     .blocks = block_rule::whole_warps,
     .grid = grid_rule::resident,
     .same_bits = determinism::fixed_grid,
     .roundings =
         [](const launch_config& config) { return wide_chain_length(config) + 13 + combine_all_roundings(config); },
     .atomics = [](const launch_config& config) -> std::uint64_t { return config.grid; }}};

}  // namespace
}  // namespace exactdot::lab

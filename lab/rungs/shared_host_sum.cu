// shared_host_sum: each block stores its sum; the host adds the sums in order.
//
// Before: the atomics of the blocks arrive in any order, which changes the last bits.
// Idea: each block stores its sum at its own index. Adding the sums from first to last gives the same bits every
// run, whichever block finishes first.
// Cost: a copy of one value per block and a wait for the host. The bits still depend on the grid.
#include <lab/rung.hpp>

namespace exactdot::lab {
namespace {

template <class Op, class T>
__global__ void combine_blocks(const T* a, const T* b, std::size_t n, T* partials) {
  T* const partial = gpu::dynamic_shared<T>();
  T value = Op::template identity<T>;
  for (std::size_t i = thread_in_grid(); i < n; i += threads_in_grid())
    value = Op::combine(value, Op::term(a[i], b[i]));
  partial[threadIdx.x] = value;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] = Op::combine(partial[threadIdx.x], partial[threadIdx.x + half]);
    __syncthreads();
  }
  if (threadIdx.x == 0) partials[blockIdx.x] = partial[0];
}

template <class T, class Op>
struct shared_host_sum {
  const input<T>& in;
  gpu::buffer<T> partials{in.stream, in.grid};
  finish_times finish{};

  void launch() {
    gpu::launch(combine_blocks<Op, T>, in.grid, in.block, in.block * sizeof(T), in.stream, in.a, in.b, in.n,
                partials.data());
  }
  T result() { return combined_on_host<Op>(partials, finish); }
};

const register_rung<shared_host_sum> registration{
    {.number = 7,
     .name = "shared_host_sum",
     .file = "shared_host_sum.cu",
     .summary = "the same bits every run: the blocks' sums are added in a fixed order",
     .blocks = block_rule::any_tree,
     .block = 64,
     .grid = grid_rule::many,
     .same_bits = determinism::fixed_grid,
     .roundings =
         [](const launch_config& config) {
           return chain_length(config) + tree_depth(config.block) + config.grid + 1;
         },
     .host_finishes = true}};

}  // namespace
}  // namespace exactdot::lab

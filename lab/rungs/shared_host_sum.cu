// shared_host_sum: each block writes its sum, and the host adds these in order.
//
// Before: the blocks' atomics came in any order, and the last bits with them.
// Idea: every block has a place of its own for its sum; whoever adds these from first to last gets the same bits
// every run, whichever block was done first.
// Cost: a copy of one value a block and a wait for the host. The bits still depend on the grid.
#include <lab/rung.hpp>

namespace exactdot::lab {
namespace {

template <class Op, class T>
__global__ void combine_blocks(const T* a, const T* b, std::size_t n, T* partials) {
  T* const partial = gpu::dynamic_shared<T>();
  T mine = Op::template identity<T>;
  for (std::size_t i = thread_in_grid(); i < n; i += threads_in_grid())
    mine = Op::combine(mine, Op::term(a[i], b[i]));
  partial[threadIdx.x] = mine;
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

  void launch() {
    gpu::launch(combine_blocks<Op, T>, in.grid, in.block, in.block * sizeof(T), in.stream, in.a, in.b, in.n,
                partials.data());
  }
  T result() { return combined_on_host<Op>(partials); }
};

const enlist<shared_host_sum> here{
    {.number = 7,
     .name = "shared_host_sum",
     .file = "shared_host_sum.cu",
     .notice = "the same bits every run: the blocks' sums are added in a fixed order",
     .blocks = block_rule::tree,
     .block = 64,
     .grid = grid_rule::many,
     .same_bits = determinism::fixed_grid,
     .roundings = [](const shape& s) { return chain(s) + levels(s.block) + s.grid + 1; },
     .host_finishes = true}};

}  // namespace
}  // namespace exactdot::lab

// interleaved: the tree the wrong way round, with every second, fourth, eighth … thread at work.
//
// Before: shared_host_sum lets thread i take the sum half a block away.
// Idea: the one that comes to mind first: neighbours pair up, then pairs, then fours.
// Cost: the busy threads are scattered over all warps, so that every warp walks through every step with ever fewer
// lanes at work, the modulo is slow, and strides that are powers of two meet in the same banks of shared memory.
#include <lab/rung.hpp>

namespace exactdot::lab {
namespace {

template <class T>
__global__ void combine_neighbours(const T* a, const T* b, std::size_t n, T* partials) {
  T* const partial = gpu::dynamic_shared<T>();
  T mine = 0;
  for (std::size_t i = thread_in_grid(); i < n; i += threads_in_grid()) mine += a[i] * b[i];
  partial[threadIdx.x] = mine;
  __syncthreads();
  for (unsigned distance = 1; distance < blockDim.x; distance *= 2) {
    if (threadIdx.x % (2 * distance) == 0) partial[threadIdx.x] += partial[threadIdx.x + distance];
    __syncthreads();
  }
  if (threadIdx.x == 0) partials[blockIdx.x] = partial[0];
}

template <class T>
struct interleaved {
  const input<T>& in;
  gpu::buffer<T> partials{in.stream, in.grid};

  void launch() {
    gpu::launch(combine_neighbours<T>, in.grid, in.block, in.block * sizeof(T), in.stream, in.a, in.b, in.n,
                partials.data());
  }
  T result() { return combined_on_host<sum>(partials); }
};

const enlist_sum<interleaved> here{
    {.number = 8,
     .name = "interleaved",
     .file = "interleaved.cu",
     .notice = "the same tree with scattered threads: compare with shared_host_sum",
     .blocks = block_rule::tree,
     .block = 64,
     .grid = grid_rule::many,
     .same_bits = determinism::fixed_grid,
     .roundings = [](const shape& s) { return chain(s) + levels(s.block) + s.grid + 1; },
     .host_finishes = true}};

}  // namespace
}  // namespace exactdot::lab

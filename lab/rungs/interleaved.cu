// interleaved: a tree in shared memory with interleaved addressing: every second, fourth, eighth … thread works.
//
// Before: in shared_host_sum, thread i adds the sum half a block away.
// Idea: the obvious tree: neighbours form pairs, then pairs form groups of four, and so on.
// Cost: the active threads are spread over all warps, so every warp executes every step with fewer and fewer active
// lanes, and the modulo is slow. Active lanes of a warp lie in different banks: there are no bank conflicts, unlike in
// a tree whose neighbouring threads are 2, 4, 8 … words apart (hazard bank_conflicts).
#include <lab/rung.hpp>

namespace exactdot::lab {
namespace {

template <class T>
__global__ void combine_neighbours(const T* a, const T* b, std::size_t n, T* partials) {
  T* const partial = gpu::dynamic_shared<T>();
  T value = 0;
  for (std::size_t i = thread_in_grid(); i < n; i += threads_in_grid()) value += a[i] * b[i];
  partial[threadIdx.x] = value;
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
  finish_times finish{};

  void launch() {
    gpu::launch(combine_neighbours<T>, in.grid, in.block, in.block * sizeof(T), in.stream, in.a, in.b, in.n,
                partials.data());
  }
  T result() { return combined_on_host<sum>(partials, finish); }
};

const register_sum_rung<interleaved> registration{
    {.number = 8,
     .name = "interleaved",
     .file = "interleaved.cu",
     .summary = "the tree of shared_host_sum with scattered threads; compare the two",
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

// shared_then_shuffle: the tree in shared memory stops at 64 sums; one warp finishes by shuffles.
//
// Before: in the last steps of the tree the whole block waits at barriers for one warp.
// Idea: one warp needs no barrier: __shfl_down_sync passes registers between lanes without shared memory.
// Cost: six barriers fewer than shared_atomic, one atomic per block.
#include <lab/combine_atomically.cuh>
#include <lab/rung.hpp>

namespace exactdot::lab {
namespace {

template <class Op, class T>
__global__ void finish_by_shuffle(const T* a, const T* b, std::size_t n, T* out) {
  T* const partial = gpu::dynamic_shared<T>();
  T value = Op::template identity<T>;
  for (std::size_t i = thread_in_grid(); i < n; i += threads_in_grid())
    value = Op::combine(value, Op::term(a[i], b[i]));
  partial[threadIdx.x] = value;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half >= 64; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] = Op::combine(partial[threadIdx.x], partial[threadIdx.x + half]);
    __syncthreads();
  }
  if (threadIdx.x >= 32) return;
  value = Op::combine(partial[threadIdx.x], partial[threadIdx.x + 32]);
  for (unsigned distance = 16; distance > 0; distance /= 2) {
    value = Op::combine(value, __shfl_down_sync(0xffffffffu, value, distance));
  }
  if (threadIdx.x == 0) combine_atomically<Op>(out, value);
}

template <class T, class Op>
struct shared_then_shuffle {
  const input<T>& in;
  gpu::buffer<T> out{in.stream, 1};

  void launch() {
    reset<Op>(out, in.stream);
    gpu::launch(finish_by_shuffle<Op, T>, in.grid, in.block, in.block * sizeof(T), in.stream, in.a, in.b, in.n,
                out.data());
  }
  T result() { return only_value(out); }
};

const register_rung<shared_then_shuffle> registration{
    {.number = 9,
     .name = "shared_then_shuffle",
     .file = "shared_then_shuffle.cu",
     .summary = "fewer barriers: one warp adds the last 64 sums",
     .blocks = block_rule::tree,
     .grid = grid_rule::many,
     .roundings =
         [](const launch_config& config) {
           return chain_length(config) + tree_depth(config.block) + config.grid + 1;
         },
     .atomics = [](const launch_config& config) -> std::uint64_t { return config.grid; }}};

}  // namespace
}  // namespace exactdot::lab

// shuffle_block: warps reduce by shuffles, the first warp reduces the warps' sums, and the block adds once.
//
// Before: one atomic per warp.
// Idea: two rounds of shuffles: 32 lanes to one value, then at most 32 warps to one value, with 32 words of shared
// memory and a single barrier in between.
// Cost: one barrier and one atomic per block.
#include <lab/combine_atomically.cuh>
#include <lab/rung.hpp>

namespace exactdot::lab {
namespace {

template <class Op, class T>
__device__ T fold_warp(T value) {
  for (unsigned distance = 16; distance > 0; distance /= 2) {
    value = Op::combine(value, __shfl_down_sync(0xffffffffu, value, distance));
  }
  return value;
}

template <class Op, class T>
__global__ void fold_block(const T* a, const T* b, std::size_t n, T* out) {
  __shared__ T warp_values[32];
  T value = Op::template identity<T>;
  for (std::size_t i = thread_in_grid(); i < n; i += threads_in_grid())
    value = Op::combine(value, Op::term(a[i], b[i]));
  value = fold_warp<Op>(value);
  if (threadIdx.x % 32 == 0) warp_values[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  value = fold_warp<Op>(threadIdx.x < blockDim.x / 32 ? warp_values[threadIdx.x] : Op::template identity<T>);
  if (threadIdx.x == 0) combine_atomically<Op>(out, value);
}

template <class T, class Op>
struct shuffle_block {
  const input<T>& in;
  gpu::buffer<T> out{in.stream, 1};

  void launch() {
    reset<Op>(out, in.stream);
    gpu::launch(fold_block<Op, T>, in.grid, in.block, 0, in.stream, in.a, in.b, in.n, out.data());
  }
  T result() { return only_value(out); }
};

const register_rung<shuffle_block> registration{
    {.number = 11,
     .name = "shuffle_block",
     .file = "shuffle_block.cu",
     .summary = "one barrier and one atomic per block",
     .claim = "8e-7 from a float CPU loop",
     .blocks = block_rule::whole_warps,
     .grid = grid_rule::many,
     .roundings = [](const launch_config& config) { return chain_length(config) + 10 + config.grid + 1; },
     .atomics = [](const launch_config& config) -> std::uint64_t { return config.grid; }}};

}  // namespace
}  // namespace exactdot::lab

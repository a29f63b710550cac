// shuffle_block: warps fold by shuffles, the first warp folds the warps, and the block adds once.
//
// Before: an atomic a warp.
// Idea: two rounds of shuffles: 32 lanes to one value, at most 32 warps to one value, through 32 places of shared
// memory and a single barrier.
// Cost: one barrier and one atomic a block.
#include <lab/combine_atomically.cuh>
#include <lab/rung.hpp>

namespace exactdot::lab {
namespace {

template <class Op, class T>
__device__ T fold_warp(T mine) {
  for (unsigned distance = 16; distance > 0; distance /= 2) {
    mine = Op::combine(mine, __shfl_down_sync(0xffffffffu, mine, distance));
  }
  return mine;
}

template <class Op, class T>
__global__ void fold_twice(const T* a, const T* b, std::size_t n, T* out) {
  __shared__ T of_warp[32];
  T mine = Op::template identity<T>;
  for (std::size_t i = thread_in_grid(); i < n; i += threads_in_grid())
    mine = Op::combine(mine, Op::term(a[i], b[i]));
  mine = fold_warp<Op>(mine);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = mine;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  mine = fold_warp<Op>(threadIdx.x < blockDim.x / 32 ? of_warp[threadIdx.x] : Op::template identity<T>);
  if (threadIdx.x == 0) combine_atomically<Op>(out, mine);
}

template <class T, class Op>
struct shuffle_block {
  const input<T>& in;
  gpu::buffer<T> out{in.stream, 1};

  void launch() {
    reset<Op>(out, in.stream);
    gpu::launch(fold_twice<Op, T>, in.grid, in.block, 0, in.stream, in.a, in.b, in.n, out.data());
  }
  T result() { return only_value(out); }
};

const enlist<shuffle_block> here{{.number = 11,
                                  .name = "shuffle_block",
                                  .file = "shuffle_block.cu",
                                  .notice = "one barrier and one atomic a block",
                                  .claim = "8e-7 from a float CPU loop",
                                  .blocks = block_rule::whole_warps,
                                  .grid = grid_rule::many,
                                  .roundings = [](const shape& s) { return chain(s) + 10 + s.grid + 1; },
                                  .atomics = [](const shape& s) -> std::uint64_t { return s.grid; }}};

}  // namespace
}  // namespace exactdot::lab

// shared_then_shuffle: the tree in shared memory down to 64 sums; a single warp does the rest by shuffles.
//
// Before: the last steps of the tree make the whole block wait at barriers for one warp's work.
// Idea: what a single warp does needs no barrier: __shfl_down_sync hands a register to the lane next door, with
// neither shared memory nor __syncthreads.
// Cost: six barriers fewer than shared_atomic, one atomic a block.
#include <lab/combine_atomically.cuh>
#include <lab/rung.hpp>

namespace exactdot::lab {
namespace {

template <class Op, class T>
__global__ void finish_by_shuffle(const T* a, const T* b, std::size_t n, T* out) {
  T* const partial = gpu::dynamic_shared<T>();
  T mine = Op::template identity<T>;
  for (std::size_t i = thread_in_grid(); i < n; i += threads_in_grid())
    mine = Op::combine(mine, Op::term(a[i], b[i]));
  partial[threadIdx.x] = mine;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half >= 64; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] = Op::combine(partial[threadIdx.x], partial[threadIdx.x + half]);
    __syncthreads();
  }
  if (threadIdx.x >= 32) return;
  mine = Op::combine(partial[threadIdx.x], partial[threadIdx.x + 32]);
  for (unsigned distance = 16; distance > 0; distance /= 2) {
    mine = Op::combine(mine, __shfl_down_sync(0xffffffffu, mine, distance));
  }
  if (threadIdx.x == 0) combine_atomically<Op>(out, mine);
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

const enlist<shared_then_shuffle> here{
    {.number = 9,
     .name = "shared_then_shuffle",
     .file = "shared_then_shuffle.cu",
     .notice = "fewer barriers: the last 64 sums are one warp's business",
     .blocks = block_rule::tree,
     .grid = grid_rule::many,
     .roundings = [](const shape& s) { return chain(s) + levels(s.block) + s.grid + 1; },
     .atomics = [](const shape& s) -> std::uint64_t { return s.grid; }}};

}  // namespace
}  // namespace exactdot::lab

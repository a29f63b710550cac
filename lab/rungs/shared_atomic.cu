// shared_atomic: a block adds its products in shared memory, then once to the result.
//
// Before: an atomic for every element; or every thread's partial sent through memory to the host.
// Idea: a thread walks the vectors with a stride and keeps its sum in a register; the block then halves its sums in
// shared memory, thread i taking the one half a block away: neighbours work side by side, and whole warps fall
// idle. Cost: log2(block) barriers and one atomic a block. Blocks still arrive in any order: the last bits may
// change. The block size is a constant of the code, so that the compiler unrolls the tree.
#include <lab/combine_atomically.cuh>
#include <lab/rung.hpp>

namespace exactdot::lab {
namespace {

template <unsigned block_size, class Op, class T>
__global__ void add_block_atomically(const T* a, const T* b, std::size_t n, T* out) {
  static_assert(block_size != 0 && (block_size & (block_size - 1)) == 0, "the tree halves the block");
  __shared__ T partial[block_size];
  T mine = Op::template identity<T>;
  for (std::size_t i = thread_in_grid(); i < n; i += threads_in_grid())
    mine = Op::combine(mine, Op::term(a[i], b[i]));
  partial[threadIdx.x] = mine;
  __syncthreads();
  for (unsigned half = block_size / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] = Op::combine(partial[threadIdx.x], partial[threadIdx.x + half]);
    __syncthreads();
  }
  if (threadIdx.x == 0) combine_atomically<Op>(out, partial[0]);
}

template <class T, class Op>
struct shared_atomic {
  const input<T>& in;
  gpu::buffer<T> out{in.stream, 1};

  template <unsigned block_size>
  void launch_if() {
    if (in.block != block_size) return;
    gpu::launch(add_block_atomically<block_size, Op, T>, in.grid, block_size, 0, in.stream, in.a, in.b, in.n,
                out.data());
  }
  void launch() {
    reset<Op>(out, in.stream);
    launch_if<64>(), launch_if<128>(), launch_if<256>(), launch_if<512>(), launch_if<1024>();
  }
  T result() { return only_value(out); }
};

const enlist<shared_atomic> here{
    {.number = 6,
     .name = "shared_atomic",
     .file = "shared_atomic.cu",
     .notice = "one atomic a block instead of one an element; the order of the blocks still shows in the last bits",
     .blocks = block_rule::tree,
     .grid = grid_rule::many,
     .roundings = [](const shape& s) { return chain(s) + levels(s.block) + s.grid + 1; },
     .atomics = [](const shape& s) -> std::uint64_t { return s.grid; }}};

}  // namespace
}  // namespace exactdot::lab

// two_phase: the blocks leave their sums in memory, and a second launch of one block adds them.
//
// Before: either atomics, whose order shows in the last bits, or a trip to the host.
// Idea: the end of a kernel is a barrier for the whole device. What the first launch wrote, the second reads, in a
// fixed order; its one block walks over any number of partial sums.
// Cost: a second launch, some microseconds, instead of atomics. The same bits every run.
#include <lab/block_combine.cuh>

namespace exactdot::lab {
namespace {

template <class Op, class T>
__global__ void combine_blocks(const T* a, const T* b, std::size_t n, T* partials) {
  T mine = Op::template identity<T>;
  for (std::size_t i = thread_in_grid(); i < n; i += threads_in_grid())
    mine = Op::combine(mine, Op::term(a[i], b[i]));
  mine = combine_block<Op>(mine);
  if (threadIdx.x == 0) partials[blockIdx.x] = mine;
}

template <class T, class Op>
struct two_phase {
  const input<T>& in;
  gpu::buffer<T> partials{in.stream, in.grid};
  gpu::buffer<T> out{in.stream, 1};

  void launch() {
    gpu::launch(combine_blocks<Op, T>, in.grid, in.block, 0, in.stream, in.a, in.b, in.n, partials.data());
    gpu::launch(combine_partials<Op, T>, 1, in.block, 0, in.stream, partials.data(), in.grid, out.data());
  }
  T result() { return only_value(out); }
};

const enlist<two_phase> here{
    {.number = 12,
     .name = "two_phase",
     .file = "two_phase.cu",
     .notice = "no atomics, no host, the same bits every run; the price is a second launch",
     .blocks = block_rule::whole_warps,
     .grid = grid_rule::many,
     .same_bits = determinism::fixed_grid,
     .roundings = [](const shape& s) { return chain(s) + 11 + combine_all_roundings(s); }}};

}  // namespace
}  // namespace exactdot::lab

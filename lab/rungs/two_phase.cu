// two_phase: the blocks store their sums; a second launch of one block adds them.
//
// Before: either atomics, whose order changes the last bits, or a copy to the host.
// Idea: the end of a kernel is a barrier for the whole device. The second launch reads what the first one wrote, in
// a fixed order; its one block handles any number of partial sums.
// Cost: a second launch, some microseconds, instead of atomics. The same bits every run.
#include <lab/block_combine.cuh>

namespace exactdot::lab {
namespace {

template <class Op, class T>
__global__ void combine_blocks(const T* a, const T* b, std::size_t n, T* partials) {
  T value = Op::template identity<T>;
  for (std::size_t i = thread_in_grid(); i < n; i += threads_in_grid())
    value = Op::combine(value, Op::term(a[i], b[i]));
  value = combine_block<Op>(value);
  if (threadIdx.x == 0) partials[blockIdx.x] = value;
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

const register_rung<two_phase> registration{
    {.number = 12,
     .name = "two_phase",
     .file = "two_phase.cu",
     .summary = "no atomics, no host, the same bits every run; costs a second launch",
     .blocks = block_rule::whole_warps,
     .grid = grid_rule::many,
     .same_bits = determinism::fixed_grid,
     .roundings = [](const launch_config& config) {
       return chain_length(config) + 11 + combine_all_roundings(config);
     }}};

}  // namespace
}  // namespace exactdot::lab

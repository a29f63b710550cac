// shared_atomic: each block adds its products in shared memory, then adds its sum to the result by one atomic.
//
// Before: one atomic per element, or one partial sum per thread copied to the host.
// Idea: a thread strides over the vectors and keeps its sum in a register. The block then halves its sums in shared
// memory; thread i adds the sum half a block away, so active threads stay adjacent and whole warps become idle.
// Cost: log2(block) barriers and one atomic per block. Blocks arrive in any order, so the last bits may change. The
// block size is a compile-time constant, so that the compiler unrolls the tree.
#include <lab/combine_atomically.cuh>
#include <lab/rung.hpp>

namespace exactdot::lab {
namespace {

template <unsigned block_size, class Op, class T>
__global__ void add_block_atomically(const T* a, const T* b, std::size_t n, T* out) {
  static_assert(block_size != 0 && (block_size & (block_size - 1)) == 0, "the tree halves the block");
  __shared__ T partial[block_size];
  T value = Op::template identity<T>;
  for (std::size_t i = thread_in_grid(); i < n; i += threads_in_grid())
    value = Op::combine(value, Op::term(a[i], b[i]));
  partial[threadIdx.x] = value;
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

const register_rung<shared_atomic> registration{
    {.number = 6,
     .name = "shared_atomic",
     .file = "shared_atomic.cu",
     .summary =
         "one atomic per block instead of one per element; the order of the blocks still changes the last bits",
     .blocks = block_rule::tree,
     .grid = grid_rule::many,
     .roundings =
         [](const launch_config& config) {
           return chain_length(config) + tree_depth(config.block) + config.grid + 1;
         },
     .atomics = [](const launch_config& config) -> std::uint64_t { return config.grid; }}};

}  // namespace
}  // namespace exactdot::lab

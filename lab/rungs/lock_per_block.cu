// lock_per_block: the sum of a block is added under a lock.
//
// Before: atomicAdd knows one operation on one word; what if the update is longer than that?
// Idea: a lock makes any piece of code one step. One thread of a block takes it, adds with plain loads and stores,
// and gives it back; lab/lock.cuh says which fences make it right.
// Cost: two atomics a block where nobody waits, more where somebody does, and all blocks in single file. It is
// there to be compared with shared_atomic, which needs one.
#include <lab/lock.cuh>
#include <lab/rung.hpp>

namespace exactdot::lab {
namespace {

template <class T>
__global__ void add_block_under_lock(const T* a, const T* b, std::size_t n, device_lock lock, T* out) {
  T* const partial = gpu::dynamic_shared<T>();
  T mine = 0;
  for (std::size_t i = thread_in_grid(); i < n; i += threads_in_grid()) mine += a[i] * b[i];
  partial[threadIdx.x] = mine;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    lock.take();
    *out += partial[0];
    lock.release();
  }
}

template <class T>
struct lock_per_block {
  const input<T>& in;
  gpu::buffer<T> out{in.stream, 1};
  lock_memory lock{in.stream};

  void launch() {
    reset<sum>(out, in.stream);
    gpu::launch(add_block_under_lock<T>, in.grid, in.block, in.block * sizeof(T), in.stream, in.a, in.b, in.n,
                lock.handle(), out.data());
  }
  T result() { return only_value(out); }
};

const enlist_sum<lock_per_block> here{
    {.number = 3,
     .name = "lock_per_block",
     .file = "lock_per_block.cu",
     .notice = "right, and in single file: compare with shared_atomic, which needs no lock",
     .blocks = block_rule::tree,
     .grid = grid_rule::few,
     .roundings = [](const shape& s) { return chain(s) + levels(s.block) + s.grid + 1; },
     .atomics = [](const shape& s) -> std::uint64_t { return 2 * std::uint64_t{s.grid}; }}};

}  // namespace
}  // namespace exactdot::lab

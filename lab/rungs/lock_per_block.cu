// lock_per_block: each block adds its sum under a lock.
//
// Before: atomicAdd supports one operation on one word; longer updates need something else.
// Idea: a lock makes any section of code indivisible. One thread per block acquires it, adds with plain loads and
// stores, and releases it; lab/lock.cuh explains the required fences.
// Cost: two atomics per block without contention, more with it, and blocks that proceed one at a time. Compare with
// shared_atomic, which needs one atomic.
#include <lab/lock.cuh>
#include <lab/rung.hpp>

namespace exactdot::lab {
namespace {

template <class T>
__global__ void add_block_under_lock(const T* a, const T* b, std::size_t n, device_lock lock, T* out) {
  T* const partial = gpu::dynamic_shared<T>();
  T value = 0;
  for (std::size_t i = thread_in_grid(); i < n; i += threads_in_grid()) value += a[i] * b[i];
  partial[threadIdx.x] = value;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    lock.acquire();
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

const register_sum_rung<lock_per_block> registration{
    {.number = 3,
     .name = "lock_per_block",
     .file = "lock_per_block.cu",
     .summary = "correct, but blocks proceed one at a time; compare with shared_atomic, which needs no lock",
     .blocks = block_rule::any_tree,
     .grid = grid_rule::few,
     .roundings =
         [](const launch_config& config) {
           return chain_length(config) + tree_depth(config.block) + config.grid + 1;
         },
     .atomics = [](const launch_config& config) -> std::uint64_t { return 2 * std::uint64_t{config.grid}; }}};

}  // namespace
}  // namespace exactdot::lab

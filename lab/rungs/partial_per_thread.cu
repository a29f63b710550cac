// partial_per_thread: every thread adds up its share; the host adds up the threads.
//
// Before: n products went over the bus.
// Idea: 32 blocks of 256 threads, each thread walking the vectors with a stride: 8192 sums leave the device,
// however long the vectors are. Cost: no race and little to copy, but 32 blocks leave most of a large GPU idle, and
// the host waits for 8192 values.
#include <lab/rung.hpp>

namespace exactdot::lab {
namespace {

template <class T>
__global__ void add_per_thread(const T* a, const T* b, std::size_t n, T* partials) {
  T mine = 0;
  for (std::size_t i = thread_in_grid(); i < n; i += threads_in_grid()) mine += a[i] * b[i];
  partials[thread_in_grid()] = mine;
}

template <class T>
struct partial_per_thread {
  const input<T>& in;
  gpu::buffer<T> partials{in.stream, std::size_t{in.grid} * in.block};

  void launch() {
    gpu::launch(add_per_thread<T>, in.grid, in.block, 0, in.stream, in.a, in.b, in.n, partials.data());
  }
  T result() { return combined_on_host<sum>(partials); }
};

const enlist_sum<partial_per_thread> here{
    {.number = 5,
     .name = "partial_per_thread",
     .file = "partial_per_thread.cu",
     .notice = "little to copy and no race; 32 blocks cannot keep a large GPU busy",
     .blocks = block_rule::any,
     .grid = grid_rule::always_32,
     .same_bits = determinism::fixed_grid,
     .roundings = [](const shape& s) { return chain(s) + threads_of(s) + 1; },
     .host_finishes = true}};

}  // namespace
}  // namespace exactdot::lab

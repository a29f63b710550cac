// partial_per_thread: each thread sums its share; the host adds the threads' sums.
//
// Before: n products cross the bus.
// Idea: 32 blocks of 256 threads stride over the vectors, so 8192 sums leave the device at any length.
// Cost: no race and little to copy, but 32 blocks leave most of a large GPU idle, and the host waits for 8192
// values.
#include <lab/rung.hpp>

namespace exactdot::lab {
namespace {

template <class T>
__global__ void add_per_thread(const T* a, const T* b, std::size_t n, T* partials) {
  T value = 0;
  for (std::size_t i = thread_in_grid(); i < n; i += threads_in_grid()) value += a[i] * b[i];
  partials[thread_in_grid()] = value;
}

template <class T>
struct partial_per_thread {
  const input<T>& in;
  gpu::buffer<T> partials{in.stream, std::size_t{in.grid} * in.block};
  finish_times finish{};

  void launch() {
    gpu::launch(add_per_thread<T>, in.grid, in.block, 0, in.stream, in.a, in.b, in.n, partials.data());
  }
  T result() { return combined_on_host<sum>(partials, finish); }
};

const register_sum_rung<partial_per_thread> registration{
    {.number = 5,
     .name = "partial_per_thread",
     .file = "partial_per_thread.cu",
     .summary = "little to copy and no race, but 32 blocks do not fill a large GPU",
     .blocks = block_rule::any,
     .grid = grid_rule::always_32,
     .same_bits = determinism::fixed_grid,
     .roundings = [](const launch_config& config) { return chain_length(config) + threads_of(config) + 1; },
     .host_finishes = true}};

}  // namespace
}  // namespace exactdot::lab

// products_host_sum: the device multiplies, the host adds.
//
// Before: addition requires threads to cooperate; multiplication does not.
// Idea: the device computes c[i] = a[i]·b[i] with a grid-stride loop, free of conflicts.
// Cost: n products are written (half the bytes that were read), cross the bus, and are added by one processor. The
// copy takes many times as long as the kernel; the table shows it in its own column.
#include <lab/rung.hpp>

namespace exactdot::lab {
namespace {

template <class T>
__global__ void multiply(const T* a, const T* b, std::size_t n, T* c) {
  for (std::size_t i = thread_in_grid(); i < n; i += threads_in_grid()) c[i] = a[i] * b[i];
}

template <class T>
struct products_host_sum {
  const input<T>& in;
  gpu::buffer<T> products{in.stream, in.n};
  finish_times finish{};

  void launch() { gpu::launch(multiply<T>, in.grid, in.block, 0, in.stream, in.a, in.b, in.n, products.data()); }
  T result() { return combined_on_host<sum>(products, finish); }
};

const register_sum_rung<products_host_sum> registration{
    {.number = 4,
     .name = "products_host_sum",
     .file = "products_host_sum.cu",
     .summary = "no race, and the same bits every run, but copying n products takes far longer than the kernel",
     .blocks = block_rule::any,
     .block = 64,
     .grid = grid_rule::many,
     .same_bits = determinism::always,
     .roundings = [](const launch_config& config) -> std::uint64_t { return config.n + 1; },
     .host_finishes = true}};

}  // namespace
}  // namespace exactdot::lab

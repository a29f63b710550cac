// products_host_sum: the device multiplies, the host adds.
//
// Before: adding needs threads to agree; multiplying does not.
// Idea: give the device the part without a conflict: c[i] = a[i]·b[i], each thread with the stride of the grid.
// Cost: n products written, sent over the bus and added by one processor; half as much again as was read. The copy
// takes many times as long as the kernel: watch the column of copies.
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

  void launch() { gpu::launch(multiply<T>, in.grid, in.block, 0, in.stream, in.a, in.b, in.n, products.data()); }
  T result() { return combined_on_host<sum>(products); }
};

const enlist_sum<products_host_sum> here{
    {.number = 4,
     .name = "products_host_sum",
     .file = "products_host_sum.cu",
     .notice = "no race, and the same bits every run; but the copy of n products dwarfs the kernel",
     .blocks = block_rule::any,
     .block = 64,
     .grid = grid_rule::many,
     .same_bits = determinism::always,
     .roundings = [](const shape& s) -> std::uint64_t { return s.n + 1; },
     .host_finishes = true}};

}  // namespace
}  // namespace exactdot::lab

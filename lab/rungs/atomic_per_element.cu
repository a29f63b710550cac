// atomic_per_element: every thread adds its product to the result by one atomic.
//
// Before: racy lost updates between a load and a store.
// Idea: atomicAdd makes load, add and store one step that nothing can come between.
// Cost: n atomics on one address, which the memory serves one after the other. The result is right to rounding, but
// the order of arrival rounds differently each run: float addition is not associative.
#include <lab/rung.hpp>

namespace exactdot::lab {
namespace {

template <class T>
__global__ void add_atomically(const T* a, const T* b, std::size_t n, T* out) {
  const std::size_t i = thread_in_grid();
  if (i < n) atomicAdd(out, a[i] * b[i]);
}

template <class T>
struct atomic_per_element {
  const input<T>& in;
  gpu::buffer<T> out{in.stream, 1};

  void launch() {
    reset<sum>(out, in.stream);
    gpu::launch(add_atomically<T>, in.grid, in.block, 0, in.stream, in.a, in.b, in.n, out.data());
  }
  T result() { return only_value(out); }
};

const enlist_sum<atomic_per_element> here{
    {.number = 2,
     .name = "atomic_per_element",
     .file = "atomic_per_element.cu",
     .notice = "right to rounding; the atomics queue up at one address, and the last bits change from run to run",
     .claim = "2^20 floats: 5.2 GFLOP/s, 380 us, 8 % of bandwidth, 1.2 % of cuBLAS; 1e-5 from a float CPU loop",
     .blocks = block_rule::any,
     .grid = grid_rule::one_thread_each,
     .roundings = [](const shape& s) -> std::uint64_t { return s.n + 1; },
     .atomics = [](const shape& s) -> std::uint64_t { return s.n; }}};

}  // namespace
}  // namespace exactdot::lab

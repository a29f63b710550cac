// atomic_per_element: each thread adds its product to the result with one atomic.
//
// Before: racy loses updates between a load and a store.
// Idea: atomicAdd performs load, add and store as one indivisible operation.
// Cost: n atomics on one address, which the memory system executes one after another. The result is accurate to
// rounding. Float addition is not associative, so the order of arrival changes the last bits from run to run.
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

const register_sum_rung<atomic_per_element> registration{
    {.number = 2,
     .name = "atomic_per_element",
     .file = "atomic_per_element.cu",
     .summary =
         "accurate to rounding; the atomics serialise on one address, and the last bits change from run to run",
     .claim = "2^20 floats: 5.2 GFLOP/s, 380 µs, 8 % of bandwidth, 1.2 % of cuBLAS; 1e-5 from a float CPU loop",
     .blocks = block_rule::any,
     .grid = grid_rule::one_thread_each,
     .roundings = [](const launch_config& config) -> std::uint64_t { return config.n + 1; },
     .atomics = [](const launch_config& config) -> std::uint64_t { return config.n; }}};

}  // namespace
}  // namespace exactdot::lab

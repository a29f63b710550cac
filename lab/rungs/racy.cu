// racy: each thread adds its product to the result without synchronisation.
//
// Before: one processor adds while thousands of threads are idle, so let every thread add.
// Idea: none. `*out += x` is a load, an add and a store; a thread that loads between another thread's load and
// store erases that thread's product.
// Cost: the result is wrong, and differs from run to run. It is not fast either: all stores serialise on one
// address.
#include <lab/rung.hpp>

namespace exactdot::lab {
namespace {

template <class T>
__global__ void add_unprotected(const T* a, const T* b, std::size_t n, T* out) {
  const std::size_t i = thread_in_grid();
  if (i < n) *out += a[i] * b[i];
}

template <class T>
struct racy {
  const input<T>& in;
  gpu::buffer<T> out{in.stream, 1};

  void launch() {
    reset<sum>(out, in.stream);
    gpu::launch(add_unprotected<T>, in.grid, in.block, 0, in.stream, in.a, in.b, in.n, out.data());
  }
  T result() { return only_value(out); }
};

const register_sum_rung<racy> registration{
    {.number = 1,
     .name = "racy",
     .file = "racy.cu",
     .summary = "updates are lost: a load, an add and a store are three steps",
     .claim = "wrong, and differs from run to run",
     .blocks = block_rule::any,
     .grid = grid_rule::one_thread_each,
     .error = error_rule::none,
     .wrong_on_purpose = true}};

}  // namespace
}  // namespace exactdot::lab

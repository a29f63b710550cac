// racy: every thread adds its product to the result, and nothing keeps two of them apart.
//
// Before: one processor adds while thousands stand idle, so let every thread add.
// Idea: none. `*out += x` is a load, an add and a store; whoever loads between another's load and store makes that
// other's product vanish.
// Cost: the result. It is wrong, differently each time, and not even fast: all stores queue at one address.
#include <lab/rung.hpp>

namespace exactdot::lab {
namespace {

template <class T>
__global__ void add_without_care(const T* a, const T* b, std::size_t n, T* out) {
  const std::size_t i = thread_in_grid();
  if (i < n) *out += a[i] * b[i];
}

template <class T>
struct racy {
  const input<T>& in;
  gpu::buffer<T> out{in.stream, 1};

  void launch() {
    reset<sum>(out, in.stream);
    gpu::launch(add_without_care<T>, in.grid, in.block, 0, in.stream, in.a, in.b, in.n, out.data());
  }
  T result() { return only_value(out); }
};

const enlist_sum<racy> here{{.number = 1,
                             .name = "racy",
                             .file = "racy.cu",
                             .notice = "updates are lost: a load, an add and a store are three steps",
                             .claim = "wrong, and differs from run to run",
                             .blocks = block_rule::any,
                             .grid = grid_rule::one_thread_each,
                             .error = error_rule::none,
                             .wrong_on_purpose = true}};

}  // namespace
}  // namespace exactdot::lab

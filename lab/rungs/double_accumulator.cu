// double_accumulator: floats in, sums in double.
//
// Before: every addition rounded to 24 bits.
// Idea: a product of two floats is exact in double, and so nearly are the sums; a GPU that waits for memory has the
// time for it. One rounding to float at the end.
// Cost: none that shows, where the device has full-rate double; on consumer GPUs some. For vectors of doubles there
// is nothing wider: it then does what two_phase does.
#include <lab/block_combine.cuh>

namespace exactdot::lab {
namespace {

template <class T>
__global__ void add_in_double(const T* a, const T* b, std::size_t n, double* partials) {
  double mine = 0;
  for (std::size_t i = thread_in_grid(); i < n; i += threads_in_grid()) {
    mine += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  }
  mine = combine_block<sum>(mine);
  if (threadIdx.x == 0) partials[blockIdx.x] = mine;
}

template <class T>
struct double_accumulator {
  const input<T>& in;
  gpu::buffer<double> partials{in.stream, in.grid};
  gpu::buffer<double> out{in.stream, 1};

  void launch() {
    gpu::launch(add_in_double<T>, in.grid, in.block, 0, in.stream, in.a, in.b, in.n, partials.data());
    gpu::launch(combine_partials<sum, double>, 1, in.block, 0, in.stream, partials.data(), in.grid, out.data());
  }
  T result() { return static_cast<T>(only_value(out)); }
};

const enlist_sum<double_accumulator> here{
    {.number = 16,
     .name = "double_accumulator",
     .file = "double_accumulator.cu",
     .notice = "the error of float data falls by orders of magnitude, for nothing",
     .blocks = block_rule::whole_warps,
     .grid = grid_rule::many,
     .same_bits = determinism::fixed_grid,
     .error = error_rule::in_double,
     .roundings = [](const shape& s) { return chain(s) + 11 + combine_all_roundings(s); }}};

}  // namespace
}  // namespace exactdot::lab

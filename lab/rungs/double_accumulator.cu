// double_accumulator: float elements, double accumulators.
//
// Before: every addition rounds to 24 bits.
// Idea: the product of two floats is exact in double, and double sums are nearly exact. A kernel that waits for
// memory has time for double arithmetic. One rounding to float at the end.
// Cost: not measurable on devices with full-rate double arithmetic; some on consumer GPUs. For vectors of doubles
// there is no wider type, and the rung is equivalent to two_phase.
#include <lab/block_combine.cuh>

namespace exactdot::lab {
namespace {

template <class T>
__global__ void add_in_double(const T* a, const T* b, std::size_t n, double* partials) {
  double value = 0;
  for (std::size_t i = thread_in_grid(); i < n; i += threads_in_grid()) {
    value += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  }
  value = combine_block<sum>(value);
  if (threadIdx.x == 0) partials[blockIdx.x] = value;
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

const register_sum_rung<double_accumulator> registration{
    {.number = 16,
     .name = "double_accumulator",
     .file = "double_accumulator.cu",
     .summary = "the error on float data falls by orders of magnitude at almost no cost",
     .blocks = block_rule::whole_warps,
     .grid = grid_rule::many,
     .same_bits = determinism::fixed_grid,
     .error = error_rule::in_double,
     .roundings = [](const launch_config& config) {
       return chain_length(config) + 11 + combine_all_roundings(config);
     }}};

}  // namespace
}  // namespace exactdot::lab

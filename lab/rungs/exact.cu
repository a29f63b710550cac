// exact: exactdot in its default mode, the real-number sum of products, rounded once; the kernel of the library
// (src/cuda/shape/exact_vector.cuh).
//
// Before: every rung rounds at each addition, so its bits depend on the order.
// Idea: know the error. A sum in double keeps a correction and a bound; if both ends of the interval round to the
// same number, that is the rounded exact sum. If they do not, which is rare, the blocks sum again in integers,
// whose order does not matter. Blocks send their sums in words of 16 bytes that carry the number of the launch as a
// flag. Cost: arithmetic, for which there is time while the loads are in flight.
#include <algorithm>
#include <cuda/shape/exact_vector.cuh>
#include <cuda/sum/second_level_code.cuh>
#include <lab/rung.hpp>

namespace exactdot::lab {
namespace {

constexpr bool in_hardware = this_backend == backend::cuda;

/// One block per multiprocessor of a GPU, of the eight that the harness would use: fewer messages.
unsigned blocks_of(unsigned grid) { return std::min(in_hardware ? (grid + 7) / 8 : grid, cuda_engine::max_blocks); }

template <class T>
struct exact {
  explicit exact(const input<T>& given) : in(given) { state.fill_zero(); }

  const input<T>& in;
  gpu::buffer<cuda_engine::device_state> state{in.stream, 1};
  gpu::buffer<T> out{in.stream, 1};

  void launch() {
    constexpr unsigned threads = in_hardware ? 512 : 128;
    const unsigned grid = blocks_of(in.grid);
    constexpr auto layout = cuda_engine::input_layout::contiguous;
    const cuda_engine::operands<T, layout> operands{in.a, in.b, in.n};
    using thread_sums = cuda_engine::bounded_thread_sum<T, core::product, cuda_engine::compensated>;
    const cuda_engine::sum_shape shape{in.n, grid, threads, 4, thread_sums::accumulators};
    const auto bound = cuda_engine::bound_of(shape, cuda_engine::compensated, sizeof(T) == sizeof(double));
    constexpr auto kernel =
        cuda_engine::exact_kernel<T, core::product, layout, threads, 4, cuda_engine::compensated>;
    gpu::launch(kernel, grid, threads, 0, in.stream, operands, bound, state.data(),
                cuda_engine::value_at(out.data()));
  }
  T result() { return only_value(out); }
};

const register_sum_rung<exact> registration{{.number = 20,
                                             .name = "exact",
                                             .file = "exact.cu",
                                             .summary = "correctly rounded, in any order",
                                             .blocks = block_rule::whole_warps,
                                             .grid = grid_rule::resident,
                                             .same_bits = determinism::always,
                                             .error = error_rule::correctly_rounded,
                                             .atomics = [](const launch_config& config) -> std::uint64_t {
                                               const unsigned blocks = blocks_of(config.grid);
                                               return blocks > 1 ? blocks : 0;
                                             }}};

}  // namespace
}  // namespace exactdot::lab

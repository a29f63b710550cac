// exact_rows: exactdot's sums of rows in mode exact; the kernels of the library (src/cuda/batch_kernel.cuh).
//
// Before: the bits of a row depend on how it is divided among threads.
// Idea: the sum in double keeps a correction and a bound. If both ends of the interval round to the same number, that
// is the rounded exact sum; if not, which is rare, the threads that read the row sum it again with more bits, and at
// last in integers. So a row has the bits of the vector call on it, wherever it lies in whatever matrix.
// Cost: arithmetic, for which there is time while the loads are in flight. A warp takes a row of up to 32 KiB, a
// block a longer one; the library chooses among more shapes (src/cuda/line_tuning.hpp).
#include <cuda/batch_kernel.cuh>
#include <lab/rows.cuh>

namespace exactdot::lab {
namespace {

template <class T>
struct exact_rows {
  explicit exact_rows(const input<T>& given) : in(given) { status.fill_zero(); }

  const input<T>& in;
  gpu::buffer<T> sums{in.stream, in.results};
  gpu::buffer<unsigned> status{in.stream, 1};

  /// Enqueues the sums of `count` rows of n elements from row `first` on.
  void launch_rows(std::size_t first, std::size_t count, std::size_t n) {
    if (count == 0) return;
    constexpr auto layout = cuda_engine::input_layout::contiguous;
    constexpr int threads = 256, in_flight = 4;
    const bool is_short = n * sizeof(T) <= 32 * 1024;
    cuda_engine::line_operands<T> rows;
    rows.first = {in.a + first * in.parts.row_length, nullptr, 1, 1, n};
    rows.next_a = static_cast<std::ptrdiff_t>(in.parts.row_length), rows.count = count;
    cuda_engine::line_results to;
    to.first = reinterpret_cast<char*>(sums.data() + first), to.next = sizeof(T);
    to.to.rule = core::result_rule(core::finish::round, core::format<T>::number);
    to.to.count = n, to.to.status = status.data();
    const auto bound =
        cuda_engine::bound_of_line(n, is_short ? 32 : threads, in_flight, cuda_engine::pack<T>::count, false);
    const auto kernel =
        is_short ? cuda_engine::short_line_kernel<T, core::value, layout, threads, 32, in_flight>
                 : cuda_engine::long_line_kernel<T, core::value, layout, threads, in_flight>;
    gpu::launch(kernel, in.grid, threads, 0, in.stream, rows, bound, to);
  }
  void launch() {
    const std::size_t length = in.parts.row_length, whole = in.n / length;
    launch_rows(0, whole, length);
    launch_rows(whole, in.results - whole, in.n % length);
  }
  std::vector<T> results() { return all_values(sums); }
};

const register_sum_rung<exact_rows> registration{{.number = 7,
                                                  .name = "exact_rows",
                                                  .file = "exact_rows.cu",
                                                  .summary = "correctly rounded: each row has the bits of its vector",
                                                  .blocks = block_rule::whole_warps,
                                                  .grid = grid_rule::warp_a_row,
                                                  .same_bits = determinism::always,
                                                  .error = error_rule::correctly_rounded,
                                                  .workload = "rows"}};

}  // namespace
}  // namespace exactdot::lab

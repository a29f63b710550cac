// exact_rows: exactdot's sums of rows in mode exact; the kernels of the library (src/cuda/shape/lines.cuh).
//
// Before: the bits of a row depend on how it is divided among threads.
// Idea: the sum in double keeps a correction and a bound. If both ends of the interval round to the same number,
// that is the rounded exact sum; if not, which is rare, the threads that read the row sum it again with more bits,
// and at last in integers. So a row has the bits of the vector call on it, wherever it lies in whatever matrix.
// Cost: arithmetic, for which there is time while the loads are in flight. A warp takes a row of up to 32 KiB, a
// block a longer one, and all blocks one of few very long ones; the library chooses among more launches
// (src/cuda/core/line_tuning.hpp).
#include <algorithm>
#include <cuda/core/line_tuning.hpp>
#include <cuda/shape/exact_vector.cuh>
#include <cuda/shape/lines.cuh>
#include <cuda/sum/second_level_code.cuh>
#include <cuda/work/sum.cuh>
#include <lab/rows.cuh>

namespace exactdot::lab {
namespace {

constexpr auto layout = cuda_engine::input_layout::contiguous;
constexpr int threads = 256, in_flight = 4;

template <class T>
struct exact_rows {
  explicit exact_rows(const input<T>& given) : in(given) { status.fill_zero(), state.fill_zero(); }

  const input<T>& in;
  gpu::buffer<T> sums{in.stream, in.results};
  gpu::buffer<unsigned> status{in.stream, 1};
  gpu::buffer<cuda_engine::device_state> state{in.stream, 1};

  /// Enqueues the sums of `count` rows of n elements from row `first` on.
  void launch_rows(std::size_t first, std::size_t count, std::size_t n) {
    if (count == 0) return;
    const bool is_short = n * sizeof(T) <= 32 * 1024;
    cuda_engine::line_operands<T> rows;
    rows.first = {in.a + first * in.parts.row_length, nullptr, 1, 1, n};
    rows.next_a = static_cast<std::ptrdiff_t>(in.parts.row_length), rows.count = count;
    cuda_engine::line_results to;
    to.first = reinterpret_cast<char*>(sums.data() + first), to.next = sizeof(T);
    to.to.rule = core::result_rule(core::finish::round, core::format<T>::number);
    to.to.count = n, to.to.status = status.data();
    using work = cuda_engine::sum_of_terms<T, core::value>;
    const auto bounds = cuda_engine::bounds_of_line<work>(n, is_short ? 32 : threads, in_flight);
    const auto kernel = is_short ? cuda_engine::short_line_kernel<work, layout, threads, 32, in_flight>
                                 : cuda_engine::long_line_kernel<work, layout, threads, in_flight>;
    const std::size_t grid = is_short ? in.grid : std::min<std::size_t>(count, threads / 32 * in.grid);
    gpu::launch(kernel, static_cast<unsigned>(grid), threads, 0, in.stream, rows, bounds, to,
                cuda_engine::line_request{});
  }
  /// Enqueues the sum of one row by all multiprocessors, as in rung exact.
  void launch_row(std::size_t row) {
    constexpr auto sums_in = cuda_engine::compensated;
    const std::size_t first = row * in.parts.row_length, n = std::min(in.parts.row_length, in.n - first);
    const unsigned grid = std::min<unsigned>(in.stream.multiprocessors(), cuda_engine::max_blocks);
    const cuda_engine::operands<T, layout> operands{in.a + first, nullptr, n};
    using thread_sums = cuda_engine::bounded_thread_sum<T, core::value, sums_in>;
    const cuda_engine::sum_shape shape{n, grid, threads, in_flight, thread_sums::accumulators};
    gpu::launch(cuda_engine::exact_kernel<T, core::value, layout, threads, in_flight, sums_in>, grid, threads, 0,
                in.stream, operands, cuda_engine::bound_of(shape, sums_in, false), state.data(),
                cuda_engine::value_at(sums.data() + row));
  }
  void launch() {
    const std::size_t length = in.parts.row_length, whole = in.n / length;
    if (cuda_engine::is_vector_by_vector(in.results, length * sizeof(T), in.stream.multiprocessors())) {
      for (std::size_t row = 0; row < in.results; ++row) launch_row(row);
    } else {
      launch_rows(0, whole, length);
      launch_rows(whole, in.results - whole, in.n % length);
    }
  }
  std::vector<T> results() { return all_values(sums); }
};

const register_sum_rung<exact_rows> registration{
    {.number = 7,
     .name = "exact_rows",
     .file = "exact_rows.cu",
     .summary = "correctly rounded: each row has the bits of its vector",
     .blocks = block_rule::whole_warps,
     .grid = grid_rule::warp_a_row,
     .same_bits = determinism::always,
     .error = error_rule::correctly_rounded,
     .atomics_depend_on_data = true,
     .workload = "rows"}};

}  // namespace
}  // namespace exactdot::lab

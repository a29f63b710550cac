// thread_a_row: each thread adds the elements of one row.
//
// Before: a loop on the host. The rows are independent, so every thread can take one.
// Idea: the loop stays as it is, and many run at once. No thread waits for another, and the order in a row is that
// of the loop: the same bits for every launch.
// Cost: neighbouring threads read addresses that are a row apart, so each of their elements comes in a sector of
// its own. Few rows leave most of the GPU idle.
#include <lab/rows.cuh>

namespace exactdot::lab {
namespace {

template <class T>
__global__ void add_row_per_thread(matrix<T> in, T* sums) {
  for (std::size_t row = thread_in_grid(); row < in.rows; row += threads_in_grid()) {
    T value = 0;
    for (std::size_t i = in.first(row); i < in.end(row); ++i) value += in.a[i];
    sums[row] = value;
  }
}

template <class T>
struct thread_a_row {
  const input<T>& in;
  gpu::buffer<T> sums{in.stream, in.results};

  void launch() { gpu::launch(add_row_per_thread<T>, in.grid, in.block, 0, in.stream, matrix_of(in), sums.data()); }
  std::vector<T> results() { return all_values(sums); }
};

const register_sum_rung<thread_a_row> registration{
    {.number = 1,
     .name = "thread_a_row",
     .file = "thread_a_row.cu",
     .summary = "the same bits for every launch, but neighbouring threads read far from each other",
     .blocks = block_rule::any,
     .grid = grid_rule::thread_a_row,
     .same_bits = determinism::always,
     .roundings = [](const launch_config& config) { return chain_of_row(config, 1); },
     .workload = "rows"}};

}  // namespace
}  // namespace exactdot::lab

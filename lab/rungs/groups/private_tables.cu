// private_tables: each block adds to a table of its own in shared memory, then adds the table to the results.
//
// Before: every element costs an atomic in global memory, or has to be moved.
// Idea: an atomic in shared memory is near, and only the blocks' sums meet in global memory: at most one atomic for
// each group and block.
// Cost: a table has 32 KiB; more groups take further passes over all elements. Atomics still arrive in any order:
// bits change from run to run.
#include <lab/groups.cuh>

namespace exactdot::lab {
namespace {

template <class T>
constexpr unsigned places = 32 * 1024 / sizeof(T);

/// Adds the elements of the groups from `first` on that have a place in the table.
template <class T>
__global__ void add_privately(keyed<T> in, unsigned first, T* sums) {
  __shared__ T table[places<T>];
  const unsigned count = in.groups - first < places<T> ? in.groups - first : places<T>;
  for (unsigned k = threadIdx.x; k < count; k += blockDim.x) table[k] = 0;
  __syncthreads();
  for (std::size_t i = thread_in_grid(); i < in.n; i += threads_in_grid()) {
    const unsigned k = in.keys[i] - first;
    if (k < count) atomicAdd(&table[k], in.a[i]);
  }
  __syncthreads();
  for (unsigned k = threadIdx.x; k < count; k += blockDim.x) {
    if (table[k] != 0) atomicAdd(&sums[first + k], table[k]);
  }
}

template <class T>
struct private_tables {
  const input<T>& in;
  gpu::buffer<T> sums{in.stream, in.results};

  void launch() {
    reset<sum>(sums, in.stream);
    for (unsigned first = 0; first < in.results; first += places<T>)
      gpu::launch(add_privately<T>, in.grid, in.block, 0, in.stream, keyed_of(in), first, sums.data());
  }
  std::vector<T> results() { return all_values(sums); }
};

const register_sum_rung<private_tables> registration{
    {.number = 4,
     .name = "private_tables",
     .file = "private_tables.cu",
     .summary = "atomics in shared memory, and few in global memory; bits change from run to run",
     .blocks = block_rule::any,
     .grid = grid_rule::resident,
     .roundings = [](const launch_config& config) -> std::uint64_t { return config.n + 1; },
     .atomics_depend_on_data = true,
     .workload = "groups"}};

}  // namespace
}  // namespace exactdot::lab

// atomic_groups: each thread adds its element to the sum of its group with one atomic.
//
// Before: racy_groups loses updates between a load and a store.
// Idea: atomicAdd performs load, add and store as one indivisible operation.
// Cost: an atomic for each element in global memory; those of a group queue up. The results are right to rounding,
// but the atomics arrive in any order, so the last bits change from run to run.
#include <lab/groups.cuh>

namespace exactdot::lab {
namespace {

template <class T>
__global__ void add_atomically(keyed<T> in, T* sums) {
  const std::size_t i = thread_in_grid();
  if (i < in.n) atomicAdd(&sums[in.keys[i]], in.a[i]);
}

template <class T>
struct atomic_groups {
  const input<T>& in;
  gpu::buffer<T> sums{in.stream, in.results};

  void launch() {
    reset<sum>(sums, in.stream);
    gpu::launch(add_atomically<T>, in.grid, in.block, 0, in.stream, keyed_of(in), sums.data());
  }
  std::vector<T> results() { return all_values(sums); }
};

const register_sum_rung<atomic_groups> registration{
    {.number = 2,
     .name = "atomic_groups",
     .file = "atomic_groups.cu",
     .summary = "right to rounding; the atomics of a group queue up, and its last bits change from run to run",
     .blocks = block_rule::any,
     .grid = grid_rule::one_thread_each,
     .roundings = [](const launch_config& config) -> std::uint64_t { return config.n + 1; },
     .atomics = [](const launch_config& config) -> std::uint64_t { return config.n; },
     .workload = "groups"}};

}  // namespace
}  // namespace exactdot::lab

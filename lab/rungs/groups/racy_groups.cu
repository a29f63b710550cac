// racy_groups: each thread adds its element to the sum of its group without synchronisation.
//
// Before: a loop on the host. The elements are independent, so let every thread add one.
// Idea: none. `sums[key] += x` is a load, an add and a store; of two threads with the same key one may be lost.
// Cost: the results are wrong and differ from run to run; the more groups, the rarer the loss, and the harder to
// see.
#include <lab/groups.cuh>

namespace exactdot::lab {
namespace {

template <class T>
__global__ void add_unprotected(keyed<T> in, T* sums) {
  const std::size_t i = thread_in_grid();
  if (i < in.n) sums[in.keys[i]] += in.a[i];
}

template <class T>
struct racy_groups {
  const input<T>& in;
  gpu::buffer<T> sums{in.stream, in.results};

  void launch() {
    reset<sum>(sums, in.stream);
    gpu::launch(add_unprotected<T>, in.grid, in.block, 0, in.stream, keyed_of(in), sums.data());
  }
  std::vector<T> results() { return all_values(sums); }
};

const register_sum_rung<racy_groups> registration{
    {.number = 1,
     .name = "racy_groups",
     .file = "racy_groups.cu",
     .summary = "updates of a group are lost if two threads have its key at once",
     .blocks = block_rule::any,
     .grid = grid_rule::one_thread_each,
     .error = error_rule::none,
     .wrong_on_purpose = true,
     .workload = "groups"}};

}  // namespace
}  // namespace exactdot::lab

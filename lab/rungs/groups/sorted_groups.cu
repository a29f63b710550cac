// sorted_groups: sorts the elements by key, then adds each group like a row.
//
// Before: atomics add the elements of a group in any order.
// Idea: a sort that keeps the order of equal keys brings the elements of a group together, always in the same
// order; a warp adds each group as in warp_a_row. The same bits in every run and for every launch. Cost: four
// launches, which read the keys twice and move all elements, and a count for each group and warp.
#include <algorithm>
#include <lab/stable_partition.cuh>

namespace exactdot::lab {
namespace {

template <class T>
__global__ void add_segments(const T* sorted, const unsigned* ends, unsigned groups, unsigned warps, T* sums) {
  const unsigned lane = threadIdx.x % 32;
  for (std::size_t group = thread_in_grid() / 32; group < groups; group += threads_in_grid() / 32) {
    const std::size_t first = group == 0 ? 0 : ends[group * warps - 1], end = ends[(group + 1) * warps - 1];
    T value = 0;
    for (std::size_t i = first + lane; i < end; i += 32) value += sorted[i];
    value = fold_warp<sum>(value);
    if (lane == 0) sums[group] = value;
  }
}

/// Warps of the sort: fewer than in the grid if there were too many counts.
unsigned warps_of(std::size_t threads, std::size_t groups) {
  constexpr std::size_t max_counts = std::size_t{1} << 22;
  return static_cast<unsigned>(std::max<std::size_t>(1, std::min(threads / 32, max_counts / groups)));
}

template <class T>
struct sorted_groups {
  const input<T>& in;
  unsigned warps = warps_of(std::size_t{in.grid} * in.block, in.results);
  gpu::buffer<unsigned> counts{in.stream, std::size_t{warps} * in.results};
  gpu::buffer<T> sorted{in.stream, in.n};
  gpu::buffer<T> sums{in.stream, in.results};

  void launch() {
    const unsigned blocks = (32 * warps + in.block - 1) / in.block, groups = static_cast<unsigned>(in.results);
    counts.fill_zero();
    gpu::launch(count_keys<T>, blocks, in.block, 0, in.stream, keyed_of(in), warps, counts.data());
    gpu::launch(scan, 1, in.block, 0, in.stream, counts.data(), counts.size());
    gpu::launch(place<T>, blocks, in.block, 0, in.stream, keyed_of(in), warps, counts.data(), sorted.data());
    gpu::launch(add_segments<T>, in.grid, in.block, 0, in.stream, sorted.data(), counts.data(), groups, warps,
                sums.data());
  }
  std::vector<T> results() { return all_values(sums); }
};

const register_sum_rung<sorted_groups> registration{
    {.number = 3,
     .name = "sorted_groups",
     .file = "sorted_groups.cu",
     .summary = "sort and segment: the same bits always, for the price of moving all elements",
     .blocks = block_rule::whole_warps,
     .grid = grid_rule::resident,
     .same_bits = determinism::always,
     .roundings = [](const launch_config& config) -> std::uint64_t { return config.n / 32 + 6; },
     .atomics = [](const launch_config& config) -> std::uint64_t { return config.n; },
     .workload = "groups"}};

}  // namespace
}  // namespace exactdot::lab

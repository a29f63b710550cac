// The kernels of groups, for every element type and term, on a workspace's stream.
#include <cuda/group_launch.hpp>
#include <cuda/group_sums.cuh>
#include <cuda/launch_kernel.hpp>

namespace exactdot::cuda {

using namespace cuda_engine;

namespace {

/// What group_sums.cuh launches with.
auto launcher_of(const workspace::storage& storage) {
  return [&storage](auto kernel, unsigned blocks, unsigned threads, std::size_t shared, const auto&... arguments) {
    launch_kernel(storage, "launching a kernel of groups", {blocks, static_cast<int>(threads), shared}, kernel,
                  arguments...);
  };
}

}  // namespace

void choose_group_scheme(group_job& job, bool needs_counts, const group_limits& limits) {
  choose_scheme(job, needs_counts, limits);
}

void choose_group_words(group_job& job, std::size_t bytes, const group_limits& limits) {
  choose_table_of_words(job, bytes, limits);
}

void launch_first_look(const workspace::storage& storage, const group_job& job, std::size_t cleared,
                       const core::state_layout& layout) {
  enqueue_first_look(job, cleared, layout, launcher_of(storage));
}

void launch_second_look(const workspace::storage& storage, const group_job& job, const core::state_layout& layout,
                        std::size_t open, std::size_t room) {
  enqueue_second_look(job, layout, open, room, launcher_of(storage));
}

void launch_group_extrema(const workspace::storage& storage, const group_job& job, std::size_t cleared,
                          const rank_rule& rule) {
  enqueue_extrema(job, cleared, rule, launcher_of(storage));
}

void launch_group_counts(const workspace::storage& storage, const group_job& job, std::size_t cleared) {
  enqueue_counts(job, cleared, launcher_of(storage));
}

}  // namespace exactdot::cuda

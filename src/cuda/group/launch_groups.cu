// The kernels of groups, for every element type and term, on a workspace's stream.
#include <cuda/group/states.cuh>
#include <cuda/group/sums.cuh>
#include <cuda/host/launch.hpp>
#include <cuda/host/launch_kernel.hpp>

namespace exactdot::inline v0_3::cuda {

using namespace cuda_engine;

namespace {

/// What sums.cuh launches with.
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

void launch_key_check(const workspace::storage& storage, const group_input& in, wide_unsigned* first_bad_key) {
  const std::size_t blocks = (in.n + 255) / 256, most = static_cast<std::size_t>(storage.multiprocessors) * 16;
  launcher_of(storage)(group_check_keys_kernel, static_cast<unsigned>(std::clamp<std::size_t>(blocks, 1, most)),
                       256U, std::size_t{0}, in, first_bad_key);
}

void launch_group_states(const workspace::storage& storage, const group_input& in, const group_state_pass& pass,
                         std::size_t room, const group_limits& limits, wide_unsigned* first_bad_key) {
  enqueue_group_states(in, pass, room, limits.multiprocessors, limits.shared_bytes, first_bad_key,
                       launcher_of(storage));
}

}  // namespace exactdot::inline v0_3::cuda

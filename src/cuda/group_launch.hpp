// Launches the kernels of groups: group_launch.cu, which compiles them, for group_engine.cpp.
#pragma once

#include <cuda/extremum_rank.hpp>
#include <cuda/group_states.hpp>
#include <cuda/workspace.hpp>

namespace exactdot::inline v0_3::cuda {

void choose_group_scheme(cuda_engine::group_job& job, bool needs_counts, const cuda_engine::group_limits& limits);
/// Of extrema and of counts: `bytes` a group in shared memory.
void choose_group_words(cuda_engine::group_job& job, std::size_t bytes, const cuda_engine::group_limits& limits);

/// The functions of group_sums.cuh on the workspace's stream.
void launch_first_look(const workspace::storage& storage, const cuda_engine::group_job& job, std::size_t cleared,
                       const core::state_layout& layout);
void launch_second_look(const workspace::storage& storage, const cuda_engine::group_job& job,
                        const core::state_layout& layout, std::size_t open, std::size_t room);
void launch_group_extrema(const workspace::storage& storage, const cuda_engine::group_job& job, std::size_t cleared,
                          const cuda_engine::rank_rule& rule);
void launch_group_counts(const workspace::storage& storage, const cuda_engine::group_job& job, std::size_t cleared);
/// Notes the first key out of range, unless such elements are skipped.
void launch_key_check(const workspace::storage& storage, const cuda_engine::group_input& in,
                      cuda_engine::wide_unsigned* first_bad_key);
/// enqueue_group_states of group_state_kernel.cuh.
void launch_group_states(const workspace::storage& storage, const cuda_engine::group_input& in,
                         const cuda_engine::group_state_pass& pass, std::size_t room,
                         const cuda_engine::group_limits& limits, cuda_engine::wide_unsigned* first_bad_key);

}  // namespace exactdot::inline v0_3::cuda

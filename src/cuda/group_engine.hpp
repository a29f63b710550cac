// Groups by keys on a GPU, as plan/batch.hpp describes them: checks, memory, and the launches.
#pragma once

#include <cuda/group_call.hpp>
#include <cuda/workspace.hpp>
#include <plan/batch.hpp>

namespace exactdot::inline v0_3::cuda_engine {

/// Throws for groups that GPUs do not compute, and for arrays that are not aligned to their elements.
void require_group_support(const engine::batch& of);

/// Enqueues all results on the workspace's stream. A key out of range, an empty group of an extremum and an integer
/// that does not fit are left to workspace::check(). Allocates, unless an earlier call needed as much.
void enqueue_groups(cuda::workspace::storage& storage, const engine::batch& of);

/// The same, waited for. Throws for a key out of range or an empty group of an extremum before anything is stored.
void reduce_groups(cuda::workspace::storage& storage, const engine::batch& of);

/// What the device offers.
[[nodiscard]] group_limits limits_of(const cuda::workspace::storage& storage);
[[nodiscard]] std::size_t bytes_of_input(const engine::batch& of);
/// Throws errc::bad_option, which names a key out of range in device memory.
[[noreturn]] void refuse_key(const cuda::workspace::storage& storage, const engine::batch& of, std::uint64_t index);

}  // namespace exactdot::inline v0_3::cuda_engine

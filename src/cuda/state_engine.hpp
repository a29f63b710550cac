// States of the results of a batch in a GPU's memory: rows, columns, segments and groups.
#pragma once

#include <cuda/workspace.hpp>
#include <plan/batch.hpp>

namespace exactdot::inline v0_3::cuda_engine {

/// Enqueues: words += the states of a batch, which are `of.states`. Offsets and keys that are wrong are left to
/// workspace::check().
void enqueue_states(cuda::workspace::storage& storage, const engine::batch& of);

/// The same, waited for. Throws for such offsets and keys before anything is added.
void add_states(cuda::workspace::storage& storage, const engine::batch& of);

/// Of groups, for the functions above: group_state_engine.cpp. `waits`: add_states.
void add_group_states(cuda::workspace::storage& storage, const engine::batch& of, bool waits);

}  // namespace exactdot::inline v0_3::cuda_engine

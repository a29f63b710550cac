// Launches a plan's kernel: launch.cu, compiled once per element type, and what reduce.cpp adds for every type.
#pragma once

#include <cuda/destination.hpp>
#include <cuda/workspace.hpp>
#include <plan/plan.hpp>

namespace exactdot::cuda {

/// Enqueues the plan's reduction on the workspace's stream. The inputs lie in memory that the device reaches.
/// Throws errc::device_failure if CUDA refuses the launch.
template <class Element>
void launch(const workspace::storage& storage, const engine::plan& plan, const cuda_engine::destination& to);

/// The same for the plan's element type.
void launch(const workspace::storage& storage, const engine::plan& plan, const cuda_engine::destination& to);

/// Launches a plan and waits for the bits of its result. The workspace is locked.
[[nodiscard]] std::uint64_t run(workspace& on, const engine::plan& plan);
/// Enqueues: *value = the result, in device memory.
void run(const workspace::storage& storage, const engine::plan& plan, void* value);
/// Enqueues: words += the exact state, in device memory.
void add(const workspace::storage& storage, const engine::plan& plan, std::int64_t* words);

}  // namespace exactdot::cuda

// Batches on a GPU: what the function table of the GPU engine holds, and for each kind (lines, segments, states,
// groups) its stream-ordered call and its checks.
#pragma once

#include <cuda/group/call.hpp>
#include <cuda/host/driver.hpp>
#include <cuda/host/launch.hpp>
#include <cuda/host/router.hpp>
#include <cuda/host/workspace.hpp>
#include <exactdot/cuda/batches.hpp>
#include <plan/batch.hpp>
#include <plan/gpu_engine.hpp>
#include <plan/normalise.hpp>
#include <span>

namespace exactdot::inline v0_3::cuda_engine {

/// Some memory of a call.
struct array_of_call {
  const void* data;
  const char* name;
  location where = {};
};
/// Whether a GPU computes a call on arrays: one of them lies in its memory, or options demand it. Throws if options
/// demand the CPU for such memory.
[[nodiscard]] bool takes_gpu(const char* caller, std::span<const array_of_call> arrays, const options& options);
/// The GPU whose memory holds the arrays, or the one demanded. Throws if they lie on several, or some on none.
[[nodiscard]] int gpu_for(const char* caller, std::span<const array_of_call> arrays, const options& options);

/// Finds where the arrays lie; sets each.on_gpu and each.gpu if a GPU computes the batch. Throws if no engine does.
void choose_batch(engine::batch& of, const options& options);

/// Enqueues all results on the workspace's stream.
void enqueue_batch(cuda::workspace::storage& storage, const engine::batch& of);

/// The same on the default stream, waited for.
void reduce_batch(const engine::batch& of);

/// Stores all elements of a normalisation, if a GPU has the arrays or options demand one; waits.
[[nodiscard]] bool normalise(const engine::normalise_request& of, const options& options);

/// Copies of gpu_engine.hpp, on the default stream, not waited for.
[[nodiscard]] std::shared_ptr<void> copy_numbers(const engine::number_copy& of);
[[nodiscard]] std::shared_ptr<void> copy_indices(const engine::index_copy& of);

// Lines on a GPU.

/// Enqueues the results of a batch along the axis `lines`, the first of which is `first`; or of all its segments,
/// of which offsets that decrease or pass the end make results NaN, or 0, and a status: storage.bad_segment.
void enqueue_lines(const cuda::workspace::storage& storage, const engine::batch& of, const route& chosen,
                   const engine::line& first, const engine::shared_axis& lines);

/// The same of rows, the axis `lines`, and of all vectors that they are multiplied with.
void enqueue_right_sides(const cuda::workspace::storage& storage, const engine::batch& of,
                         const engine::line& first, const engine::shared_axis& lines,
                         const right_sides_axis& right);

/// Enqueues the variance of a vector, or its root, as one line: false if the kernel of vectors computes it.
bool enqueue_moments_as_line(const cuda::workspace::storage& storage, const engine::plan& plan,
                             const destination& to);

/// Waits for the stream; throws for such offsets of a batch before anything is written, and names the first.
void require_valid_offsets(const cuda::workspace::storage& storage, const engine::batch& of);

/// Throws errc::empty_input, with the first, if a segment is empty. Waits for the stream. The offsets are valid.
void require_no_empty_segment(const cuda::workspace::storage& storage, const engine::batch& of);

// States of the results of a batch in a GPU's memory: rows, columns, segments and groups.

/// Enqueues: words += the states of a batch, which are `of.states`. Offsets and keys that are wrong are left to
/// workspace::check().
void enqueue_states(cuda::workspace::storage& storage, const engine::batch& of);

/// The same, waited for. Throws for such offsets and keys before anything is added.
void add_states(cuda::workspace::storage& storage, const engine::batch& of);

/// Of groups, for the functions above: group_state_engine.cpp. `waits`: add_states.
void add_group_states(cuda::workspace::storage& storage, const engine::batch& of, bool waits);

// Groups by keys on a GPU, as plan/batch.hpp describes them: checks, memory, and the launches.

/// Throws for groups that GPUs do not compute, and for arrays that are not aligned to their elements.
void require_group_support(const engine::batch& of);

/// Enqueues all results on the workspace's stream. A key out of range, an empty group of an extremum and an integer
/// that does not fit are left to workspace::check(). Allocates, unless an earlier call needed as much.
void enqueue_groups(cuda::workspace::storage& storage, const engine::batch& of);

/// The same, waited for. Throws for a key out of range or an empty group of an extremum before anything is stored.
void reduce_groups(cuda::workspace::storage& storage, const engine::batch& of);

/// What a pass over keys found, fetched; and throws what it says: a key out of range, or an empty group of an
/// extremum. Waits for the stream.
void require_all_right(const cuda::workspace::storage& storage, const engine::batch& of,
                       const group_status* on_device);

/// Enqueues the results of rows by keys whose columns follow each other: takes_rows of router.hpp.
void run_row_groups(cuda::workspace::storage& storage, const engine::batch& of, bool waits);

/// What a launch on vectors computes beside the sums of its terms.
[[nodiscard]] line_request request_of(const engine::plan& each);

/// What the device offers.
[[nodiscard]] group_limits limits_of(const cuda::workspace::storage& storage);
[[nodiscard]] std::size_t bytes_of_input(const engine::batch& of);
/// Throws errc::bad_option, which names a key out of range in device memory.
[[noreturn]] void refuse_key(const cuda::workspace::storage& storage, const engine::batch& of, std::uint64_t index);

}  // namespace exactdot::inline v0_3::cuda_engine

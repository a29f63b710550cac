// Segments on a GPU whose results are no exact sums: extreme elements, and mode fast.
#pragma once

#include <cuda/workspace.hpp>
#include <plan/batch.hpp>

namespace exactdot::inline v0_3::cuda_engine {

/// Enqueues the results of a batch of segments: extreme elements, or sums in mode fast.
void enqueue_segment_modes(const cuda::workspace::storage& storage, const engine::batch& of);

/// Throws errc::empty_input, with the first, if a segment is empty. Waits for the stream. The offsets are valid.
void require_no_empty_segment(const cuda::workspace::storage& storage, const engine::batch& of);

}  // namespace exactdot::inline v0_3::cuda_engine

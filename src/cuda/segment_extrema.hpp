// Extreme elements of segments on a GPU.
#pragma once

#include <cuda/workspace.hpp>
#include <plan/batch.hpp>

namespace exactdot::inline v0_3::cuda_engine {

/// Enqueues the extreme elements of a batch of segments.
void enqueue_segment_extrema(const cuda::workspace::storage& storage, const engine::batch& of);

/// Throws errc::empty_input, with the first, if a segment is empty. Waits for the stream. The offsets are valid.
void require_no_empty_segment(const cuda::workspace::storage& storage, const engine::batch& of);

}  // namespace exactdot::inline v0_3::cuda_engine

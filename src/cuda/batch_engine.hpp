// Batches on a GPU: the functions of the table that the GPU engine registers, and the stream-ordered one.
#pragma once

#include <cuda/workspace.hpp>
#include <exactdot/cuda/batches.hpp>
#include <plan/batch.hpp>

namespace exactdot::inline v0_3::cuda_engine {

/// Finds where the arrays lie; sets each.on_gpu and each.gpu if a GPU computes the batch. Throws if no engine does.
void choose_batch(engine::batch& of, const options& options);

/// Enqueues all results on the workspace's stream.
void enqueue_batch(cuda::workspace::storage& storage, const engine::batch& of);

/// The same on the default stream, waited for.
void reduce_batch(const engine::batch& of);

}  // namespace exactdot::inline v0_3::cuda_engine

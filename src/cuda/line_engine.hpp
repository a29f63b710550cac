// Lines on a GPU: which kernels compute the rows, columns or segments of a batch.
#pragma once

#include <cuda/launch.hpp>
#include <plan/batch.hpp>

namespace exactdot::inline v0_3::cuda_engine {

/// Enqueues the results of lines of a plan. There is at least one.
template <class T>
void enqueue_lines(const cuda::workspace::storage& storage, const engine::plan& each, const line_operands<T>& in,
                   const line_results& out);
/// The same of elements that are not carriers in native byte order.
template <class T>
void enqueue_any_lines(const cuda::workspace::storage& storage, const engine::plan& each,
                       const line_operands<T, input_layout::any>& in, const line_results& out);

/// Enqueues the variance of a vector, or its root, as one line: false for plans of which the kernel of vectors is
/// faster (moments_kernel.cuh) or which no kernel of lines reads by packs.
bool enqueue_moments_as_line(const cuda::workspace::storage& storage, const engine::plan& plan,
                             const destination& to);

/// Offsets as kernels read them.
[[nodiscard]] offset_array offsets_of(const any_offsets& x);

/// Enqueues the results of a batch of segments. Offsets that decrease or pass the end make results NaN, or 0, and
/// a status: storage.bad_segment.
void enqueue_segments(const cuda::workspace::storage& storage, const engine::batch& of);

/// Waits for the stream; throws for such offsets of a batch before anything is written, and names the first.
void require_valid_offsets(const cuda::workspace::storage& storage, const engine::batch& of);

/// Whether the lines of a batch are summed one after the other by the kernels of vectors.
[[nodiscard]] bool is_vector_by_vector(const engine::batch& of, int multiprocessors);

}  // namespace exactdot::inline v0_3::cuda_engine

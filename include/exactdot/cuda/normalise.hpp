// SPDX-License-Identifier: Apache-2.0
// RMS norms and layer norms of the rows of a matrix in a GPU's memory, ordered by a stream: those of
// exactdot/normalise.hpp, with the same bits.
//
// Arrays lie in the memory of the workspace's device, or in managed memory. Calls allocate nothing and do not wait,
// so they can be captured in a graph: one launch. Speed is half and more of that of reading and writing once
// (docs/performance.md) if rows begin at multiples of 16 bytes and have at most 32 KB, for results of 16 and 32
// bits of ordinary data (docs/gpu-engine.md).
#pragma once

#include <exactdot/cuda.hpp>
#include <exactdot/normalise.hpp>

namespace exactdot::inline v0_3::engine {
struct normalise_request;
struct gradient_request;
}  // namespace exactdot::inline v0_3::engine

namespace exactdot::inline v0_3::cuda {

namespace detail {
/// A call that has been checked, but for where its arrays lie.
void enqueue_normalised(workspace& on, const engine::normalise_request& of);
void enqueue_gradients(workspace& on, const engine::gradient_request& of);
/// As exactdot::detail::normalise.
void enqueue_normalised(workspace& on, const exactdot::detail::normalisation& how, const any_grid& x,
                        const any_results& out);

template <class T>
void enqueue_rows(workspace& on, const exactdot::detail::normalisation& how, const rows<T>& x, T* out) {
  static_assert(exactdot::detail::is_normalised_type<T>, "norms take float16, bfloat16, float32 or float64");
  const exactdot::detail::line_grid lines = exactdot::detail::to_lines(x);
  const auto places = exactdot::detail::axes_of_results(how.caller, x.m, x.n, type_of<T>, x.m * x.n);
  enqueue_normalised(on, how, lines.view(), {out, type_of<T>, places, false});
}
}  // namespace detail

/// out[i, k] = x[i, k]·weight[k]/√(Σx[i]²/n + epsilon), when the stream reaches it; `weight` may be empty. Errors:
/// those of exactdot::rms_norm, and of exactdot::cuda::reduce of a vector.
template <element T, exactdot::detail::contiguous_view Weight>
void rms_norm(workspace& on, const rows<T>& x, const Weight& weight, T* out, double epsilon) {
  detail::enqueue_rows(on, {"cuda", false, epsilon, exactdot::detail::to_parameters<T>(weight), {}}, x, out);
}

/// out[i, k] = (x[i, k] − mean of x[i])·weight[k]/√(variance of x[i] + epsilon) + bias[k], the same.
template <element T, exactdot::detail::contiguous_view Weight, exactdot::detail::contiguous_view Bias>
void layer_norm(workspace& on, const rows<T>& x, const Weight& weight, const Bias& bias, T* out, double epsilon) {
  using exactdot::detail::to_parameters;
  detail::enqueue_rows(on, {"cuda", true, epsilon, to_parameters<T>(weight), to_parameters<T>(bias)}, x, out);
}

}  // namespace exactdot::inline v0_3::cuda

// SPDX-License-Identifier: Apache-2.0
// RMS norm and layer norm of the rows of a matrix in a GPU's memory, ordered by a stream: every element is the real
// number x·w/√(Σx²/n + ε) + b or (x − m)·w/√(v + ε) + b of its row, with the exact mean m and variance v, rounded
// once. So it depends on its row alone, not on the number of rows or where they lie.
//
// Elements and results are float16, bfloat16, float32 or float64, the parameters of the same type or float32.
// Arrays lie in the memory of the workspace's device, or in managed memory, and share none with the results. Calls
// allocate nothing and do not wait, so they can be captured in a graph: one launch. Speed is that of reading and
// writing once if rows begin at multiples of 16 bytes and have up to 32 KB (docs/gpu-engine.md).
#pragma once

#include <exactdot/cuda.hpp>

namespace exactdot::inline v0_3::engine {
struct normalise_request;
}  // namespace exactdot::inline v0_3::engine

namespace exactdot::inline v0_3::cuda {

namespace detail {
/// A call that has been checked, but for where its arrays lie.
void enqueue_normalised(workspace& on, const engine::normalise_request& of);
}  // namespace detail

/// Rows whose elements follow each other.
struct rows_to_normalise {
  std::size_t rows = 0, length = 0;  ///< length < 2^31
  element_type type = element_type::float32;
  const void* x = nullptr;
  std::ptrdiff_t x_stride = 0;  ///< from row to row, in bytes
  void* out = nullptr;
  std::ptrdiff_t out_stride = 0;
  element_type parameter_type = element_type::float32;
  const void* weight = nullptr;  ///< `length` elements, or null: 1
  const void* bias = nullptr;    ///< the same, or null: 0
  double epsilon = 0;            ///< 0, or from 1e-150 to 1e100
};

/// Errors: errc::bad_option, errc::null_pointer, and those of exactdot::cuda::reduce of a vector.
void rms_norm(workspace& on, const rows_to_normalise& rows);
void layer_norm(workspace& on, const rows_to_normalise& rows);

}  // namespace exactdot::inline v0_3::cuda

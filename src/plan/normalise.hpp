// A call of rms_norm or layer_norm as data: rows of elements, each of which has one result per element
// (core/normalisation.hpp).
//
// make_normalise_request has checked it: types, lengths, epsilon, and that the results share no memory with what is
// read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exactdot/options.hpp>
#include <exactdot/shapes.hpp>

namespace exactdot::inline v0_3::detail {
struct normalisation;
}

namespace exactdot::inline v0_3::engine {

struct normalise_request {
  const char* caller;
  bool is_centred;  ///< layer_norm; else rms_norm
  double epsilon;
  std::size_t rows, length;  ///< length <= core::max_normalised_row
  element_type type;         ///< of elements and results: float16, bfloat16, float32 or float64
  const void* x;
  std::ptrdiff_t x_stride;  ///< from row to row, in bytes; the elements of a row follow each other
  void* out;
  std::ptrdiff_t out_stride;
  element_type parameter_type;  ///< of weight and bias: `type` or float32
  const void* weight;           ///< of each place in a row, contiguous; null: 1
  const void* bias;             ///< null: 0
};

/// The gradients of such rows in a GPU's memory (cuda/core/normalised_rows.hpp says what they are). All rows follow
/// each other without gaps, and there is at least one element.
struct gradient_request {
  bool is_centred;
  double epsilon;
  std::size_t rows, length;  ///< length <= max_gradient_row
  element_type type;         ///< float16, bfloat16 or float32
  const void *x, *g;         ///< what was normalised; the gradient of the result
  const float* weight;       ///< null: 1
  float* normal;             ///< becomes x̂
  void* out;                 ///< becomes the gradient of x
};
inline constexpr std::size_t max_gradient_row = std::size_t{1} << 24;

/// Throws exactdot::error, whose sentence begins with the caller's name. x and out: as of detail::normalise.
[[nodiscard]] normalise_request make_normalise_request(const detail::normalisation& how, const any_grid& x,
                                                       const any_results& out, const options& options);

}  // namespace exactdot::inline v0_3::engine

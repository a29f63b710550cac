// The gradient of a row of which the first look leaves something open (shape/normalised_gradient.cuh): by all
// threads of a block.
//
//   x̂              by normalise_again.cuh
//   traced sums    of 2^-90 and less of a row, which decide nearly all that is left
//   exact sums     of what stays open
//
// Declared here, with the operations of an element; gradient_again.cu compiles it once.
#pragma once

#include <cuda/work/normalise_again.cuh>

namespace exactdot::inline v0_3::cuda_engine {

/// Shared memory of a block, for what gradient_again.cu keeps there.
struct alignas(16) gradient_memory {
  static constexpr int h_count = 512;
  normalise_memory<float> normalise;
  float h[h_count];
};

/// What the first look knows of a row.
struct known_of_row {
  row_terms terms;  ///< with bounds in units of 2^-log2_bound
  int log2_bound;
  float scale;  ///< k, if has_scale
  bool has_scale;
};

/// Stores the gradient of all elements of a row, and x̂ unless it is there. By all threads of a block; barriers
/// before and after.
[[gnu::noinline]] __device__ void gradient_again(const gradient_rows& in, unsigned row, const known_of_row& known,
                                                 bool has_normal, gradient_memory& memory);

namespace {

/// What the gradients of a row's elements have in common.
struct gradient_terms {
  float along, mean, scale;
};

/// A rounded sum over n, rounded.
__device__ __forceinline__ float mean_of(float sum, unsigned n) { return __fdiv_rn(sum, static_cast<float>(n)); }

/// 1/√(v + ε), from v rounded to double.
__device__ __forceinline__ float scale_of(double v, double epsilon) {
  return __double2float_rn(__ddiv_rn(1, __dsqrt_rn(__dadd_rn(v, epsilon))));
}

__device__ __forceinline__ float gradient_of(float h, float normal, const gradient_terms& row, bool is_centred) {
  float rest = __fsub_rn(h, __fmul_rn(normal, row.along));
  if (is_centred) rest = __fsub_rn(rest, row.mean);
  return __fmul_rn(rest, row.scale);
}

/// The bits of x rounded to a type of 16 bits, or of x.
__device__ __forceinline__ unsigned bits_of(element_type type, float x) {
  const unsigned bits = __float_as_uint(x);
  if (type == element_type::float32) return bits;
  if (x != x) return type == element_type::float16 ? 0x7e00U : 0x7fc0U;
  if (type == element_type::float16) return float16_bits(x);
  return (bits + 0x7fffU + (bits >> 16 & 1)) >> 16;
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine

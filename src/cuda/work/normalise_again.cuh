// A normalised row that the first look leaves open, or a row of doubles: by all threads of a block.
//
//   traced sums    of 2^-90 and less of a row; each element is decided from its enclosure    core/normalisation.hpp
//   exact states   of Σx and Σx², if elements are open then, by the second level; one thread decides these elements
//                  by comparisons of integers
//
// Declared here; normalise_again.cu compiles it once per carrier, as the second level.
#pragma once

#include <cmath>
#include <cuda/core/normalised_rows.hpp>
#include <cuda/sum/packed_sum.cuh>
#include <cuda/sum/superaccumulator.cuh>
#include <exactdot/simt/cuda.hpp>

namespace exactdot::inline v0_3::cuda_engine {

/// Shared memory of a block, for what normalise_again.cu keeps there.
template <class T>
struct alignas(16) normalise_memory {
  unsigned char bytes[sizeof(T) == sizeof(double) ? 15360 : 7168];
};

namespace {

/// The threads of a block, however many: at least as many as an accumulator has digits.
template <class T>
struct whole_block {
  static constexpr unsigned lanes = digit_layout<T>::count <= 128 ? 128 : 256;
  static_assert(digit_layout<T>::count <= lanes);
  [[nodiscard]] __device__ __forceinline__ std::size_t first_thread() const { return threadIdx.x; }
  [[nodiscard]] __device__ __forceinline__ std::size_t threads() const { return blockDim.x; }
  static __device__ __forceinline__ void synchronise() { __syncthreads(); }
};

template <class T>
__device__ __forceinline__ T value_at(const char* first, element_type type, std::size_t i) {
  if constexpr (sizeof(T) == sizeof(double)) {
    if (type == element_type::float64) return reinterpret_cast<const double*>(first)[i];
  } else {
    if (type == element_type::float16) return float_of(reinterpret_cast<const float16*>(first)[i]);
    if (type == element_type::bfloat16) return float_of(reinterpret_cast<const bfloat16*>(first)[i]);
  }
  return reinterpret_cast<const float*>(first)[i];
}

}  // namespace

/// As shifted_double (work/normalise.cuh) makes doubles of weights.
inline constexpr double unshifted = 0x1p896;

/// What the first look knows that is the same for all elements of a row: the mean and 1/√(v + ε), and what they err
/// by, in units of the bound below which a result is rounded quickly.
struct row_terms {
  double mean, mean_error;
  double shifted_scale;  ///< times `unshifted`
  double relative;  ///< of (x − mean)·scale·w, from its roundings too; infinite: nothing of the row is decided

  [[nodiscard]] __device__ __forceinline__ bool is_known() const { return relative < HUGE_VAL; }
  static __device__ __forceinline__ row_terms unknown() { return {0, 0, 0, HUGE_VAL}; }
};

/// Stores those of `count` elements from `at` on that their bounds decide: whether there are others. By one thread.
template <class T>
[[gnu::noinline]] __device__ bool look_closer(const normalised_rows& in, unsigned row, row_terms terms,
                                              int log2_bound, unsigned at, unsigned count);

/// Stores all elements of a row, of which a first look knows `terms`, with bounds in units of 2^-log2_bound. By all
/// threads of a block of 128 to 512, of doubles of 256 or more; barriers before and after.
template <class T>
[[gnu::noinline]] __device__ void normalise_again(const normalised_rows& in, unsigned row, row_terms terms,
                                                  int log2_bound, normalise_memory<T>& memory);

}  // namespace exactdot::inline v0_3::cuda_engine

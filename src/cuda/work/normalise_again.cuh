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
#include <exactdot/simt/cuda.hpp>

namespace exactdot::inline v0_3::cuda_engine {

/// Shared memory of a block, for what normalise_again.cu keeps there.
template <class T>
struct alignas(16) normalise_memory {
  unsigned char bytes[sizeof(T) == sizeof(double) ? 15360 : 7168];
};

/// As shifted_double (work/normalise.cuh) makes doubles of weights.
inline constexpr double unshifted = 0x1p896;

/// What the first look knows that is the same for all elements of a row: the mean and 1/√(v + ε), and what they err
/// by, in units of the bound below which a result is rounded quickly.
struct row_terms {
  double mean, mean_error;
  double shifted_scale;  ///< times `unshifted`
  double relative;  ///< of (x − mean)·scale·w, from its roundings too; infinite: nothing of the row is decided

  [[nodiscard]] __device__ __forceinline__ bool is_known() const { return relative < HUGE_VAL; }
};

/// Stores those of `count` elements from `at` on that their bounds decide: whether there are others. By one thread.
template <class T>
[[gnu::noinline]] __device__ bool look_closer(const normalised_rows& in, unsigned row, row_terms terms,
                                              int log2_bound, unsigned at, unsigned count);

/// Stores all elements of a row. By all threads of a block of 128 to 512, of doubles of 256 or more; barriers
/// before and after.
template <class T>
[[gnu::noinline]] __device__ void normalise_again(const normalised_rows& in, unsigned row,
                                                  normalise_memory<T>& memory);

}  // namespace exactdot::inline v0_3::cuda_engine

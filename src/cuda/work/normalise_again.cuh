// A normalised row that the first look leaves open, or a row of doubles: by all threads of a block.
//
//   traced sums    of 2^-90 and less of a row; each element is decided from its enclosure    core/normalisation.hpp
//   exact states   of Σx and Σx², if elements are open then, by the second level; one thread decides these elements
//                  by comparisons of integers
//
// Declared here; normalise_again.cu compiles it once per carrier, as the second level.
#pragma once

#include <cuda/core/normalised_rows.hpp>
#include <cuda/work/moments.cuh>
#include <exactdot/core/normalisation.hpp>

namespace exactdot::inline v0_3::cuda_engine {

/// Of a block, in shared memory.
template <class T>
struct normalise_storage : moment_storage<T> {
  core::normalisation_scratch<T> exact;
  alignas(8) unsigned char row[sizeof(core::exact_row<T>)];
  double terms[sizeof(core::row_scale) / sizeof(double)];
  moment_total<T> of_warp[16];
  unsigned open[16];  ///< elements of each warp
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
[[gnu::noinline]] __device__ bool look_closer(const normalised_rows& in, std::size_t row, row_terms terms,
                                              int log2_bound, unsigned at, unsigned count);

/// Stores all elements of a row. By all threads of a block of 128 to 512, of doubles of 256 or more; barriers
/// before and after.
template <class T>
[[gnu::noinline]] __device__ void normalise_again(const normalised_rows& in, std::size_t row,
                                                  normalise_storage<T>& storage);

}  // namespace exactdot::inline v0_3::cuda_engine

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

/// Stores all elements of a row. By all threads of a block of 128 to 512, of doubles of 256 or more; barriers
/// before and after.
template <class T>
[[gnu::noinline]] __device__ void normalise_again(const normalised_rows& in, std::size_t row,
                                                  normalise_storage<T>& storage);

}  // namespace exactdot::inline v0_3::cuda_engine

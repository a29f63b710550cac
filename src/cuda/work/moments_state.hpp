// Device memory of the kernel of variances (shape/moments_vector.cuh), in a workspace.
#pragma once

#include <cstddef>

namespace exactdot::inline v0_3::cuda_engine {

inline constexpr unsigned max_moments_blocks = 1024;

/// A bounded sum of a block (sum/bounded_sum.cuh).
struct stored_sum {
  double sum, correction, error;
};

struct moments_state {
  stored_sum values[max_moments_blocks], squares[max_moments_blocks];
  unsigned finished;  ///< blocks that have stored their sums; zero between launches
  unsigned decided;   ///< 1: the last launch has stored its result
};

}  // namespace exactdot::inline v0_3::cuda_engine

// A running sum in an expansion: a few doubles whose exact sum is the sum so far, and a bound on what did not fit.
//
// Each addend passes through the components by TwoSum (Knuth, TAOCP 2, §4.2.2), 6 flops per component; the error of
// the last one is dropped and its magnitude added to `error`. While that is 0 the sum is exact, which holds for
// data of moderate range. Like the expansions of R. Iakymchuk, S. Collange et al. (ExBLAS, 2015), but without a
// branch.
#pragma once

#include <cuda/sum/digits.cuh>
#include <exactdot/core/error_free.hpp>

namespace exactdot::inline v0_3::cuda_engine {

__device__ inline bool is_finite(double x) { return (core::bit_cast<std::uint64_t>(x) >> 52 & 0x7ff) != 0x7ff; }

/// Without initialisers, so that it may lie in shared memory.
template <int levels>
struct expansion {
  static constexpr int parts = levels;
  double sum[levels];
  double error;  ///< the sum of the magnitudes of what was dropped

  [[nodiscard]] __device__ __forceinline__ double& part(int k) { return sum[k]; }
  [[nodiscard]] __device__ __forceinline__ double part(int k) const { return sum[k]; }

  /// Adds x, which is no larger than component `from` may hold.
  template <int from = 0>
  __device__ __forceinline__ void add(double x) {
#pragma unroll
    for (int k = from; k < levels; ++k) {
      const auto added = core::two_sum(sum[k], x);
      sum[k] = added.value, x = added.error;
    }
    error += fabs(x);
  }

  /// Adds all components at once, then the errors of each round to the next components: fewer operations in
  /// sequence than the components one by one.
  __device__ __forceinline__ void join(const expansion& other) {
    error += other.error;
    double rest[levels];
#pragma unroll
    for (int k = 0; k < levels; ++k) rest[k] = other.sum[k];
#pragma unroll
    for (int round = 0; round < levels; ++round) {
#pragma unroll
      for (int k = levels - 1; k >= round; --k) {
        const auto added = core::two_sum(sum[k], rest[k - round]);
        sum[k] = added.value;
        if (k == levels - 1) {
          error += fabs(added.error);
        } else {
          rest[k - round] = added.error;
        }
      }
    }
  }

  __device__ __forceinline__ bool is_finite() const {
    bool finite = cuda_engine::is_finite(error);
#pragma unroll
    for (int k = 0; k < levels; ++k) finite &= cuda_engine::is_finite(sum[k]);
    return finite;
  }
};

}  // namespace exactdot::inline v0_3::cuda_engine

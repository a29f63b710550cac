// A thread's running sum: an expansion, that is a few doubles whose exact sum is the sum so far, and a bound on
// what did not fit.
//
// Each addend passes through the components by TwoSum (Knuth, TAOCP 2, §4.2.2), 6 flops per component; the error of
// the last one is dropped and its magnitude added to dropped_magnitude. While that is 0 the sum is exact, which
// holds for data of moderate range. Like the
// expansions of R. Iakymchuk, S. Collange et al. (ExBLAS, 2015), but without a branch.
#pragma once

#include <core/error_free.hpp>
#include <cuda/digits.cuh>

namespace exactdot::cuda_engine {
namespace {

__device__ inline bool is_finite(double x) { return (core::bit_cast<std::uint64_t>(x) >> 52 & 0x7ff) != 0x7ff; }

template <int levels>
struct expansion {
  double sum[levels] = {};
  double dropped_magnitude = 0;

  /// Adds x, which is no larger than component `from` may hold.
  template <int from = 0>
  __device__ __forceinline__ void add(double x) {
#pragma unroll
    for (int k = from; k < levels; ++k) {
      const auto added = core::two_sum(sum[k], x);
      sum[k] = added.value, x = added.error;
    }
    dropped_magnitude += fabs(x);
  }

  __device__ __forceinline__ bool is_finite() const {
    bool finite = cuda_engine::is_finite(dropped_magnitude);
#pragma unroll
    for (int k = 0; k < levels; ++k) finite &= cuda_engine::is_finite(sum[k]);
    return finite;
  }
};

}  // namespace
}  // namespace exactdot::cuda_engine

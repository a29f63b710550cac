// A thread's running sum: an expansion, that is a few doubles whose exact sum is the sum so far, and a bound on
// what did not fit.
//
// Each term runs down the levels by TwoSum (Knuth, TAOCP 2, §4.2.2), 6 flops a level; what is left below the last
// is dropped, and its magnitude added to `lost`. As long as `lost` is 0 the sum is exact, which it stays on data of
// moderate range; else the rounding says whether it matters (round_lanes.cuh). Like the expansions of R.
// Iakymchuk, S. Collange et al. (ExBLAS, 2015), but without a branch.
#pragma once

#include <core/error_free.hpp>
#include <core/traits.hpp>
#include <cuda/pieces.cuh>

namespace exactdot::cuda_engine {
namespace {

__device__ inline bool is_finite(double x) { return (core::bit_cast<std::uint64_t>(x) >> 52 & 0x7ff) != 0x7ff; }

template <int levels>
struct expansion {
  double sum[levels] = {};
  double lost = 0;

  /// Adds x, which is no larger than what level `from` may hold.
  template <int from = 0>
  __device__ __forceinline__ void add(double x) {
#pragma unroll
    for (int k = from; k < levels; ++k) {
      const auto added = core::two_sum(sum[k], x);
      sum[k] = added.value, x = added.error;
    }
    lost += fabs(x);
  }

  __device__ __forceinline__ bool is_finite() const {
    bool finite = cuda_engine::is_finite(lost);
#pragma unroll
    for (int k = 0; k < levels; ++k) finite &= cuda_engine::is_finite(sum[k]);
    return finite;
  }

  /// All that is there is less than 2^this, as a position; 0: nothing is there.
  __device__ unsigned end(int origin) const {
    unsigned most = end_of(lost, origin);
#pragma unroll
    for (int k = 0; k < levels; ++k) most = max(most, end_of(sum[k], origin));
    constexpr unsigned several = 3;  // log2 of how many such numbers there are at most
    static_assert(levels + 1 <= 1 << several);
    return most == 0 ? 0 : most + several;
  }
};

}  // namespace
}  // namespace exactdot::cuda_engine

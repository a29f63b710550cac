// Partial sums of the warps of a block, in shared memory, and their sum: the first pass of mode exact.
//
// A warp stores its leading 240 positions and a bound on what lies below. One warp adds these partials, one digit
// per lane; digits far below the highest only raise the bound. So the path depends on the data only through a few
// votes.
#pragma once

#include <cuda/expansion.cuh>

namespace exactdot::cuda_engine {
namespace {

/// Lanes that a sum may use, so that enough are left for carries and the sign.
constexpr int max_lane_digits = 29;

/// A sum in the lanes of a warp: lane i has digit first + i, in at most max_lane_digits lanes. Less than
/// 2^log2_error per warp of the grid, as a position, is missing; log2_error 0: nothing. Bounds are the same in all
/// lanes.
struct lane_digits {
  wide_int digit;
  int first;
  unsigned log2_error;
};

template <int warps>
struct warp_partials {
  int first[warps];      ///< negative: the partial is 0
  int digit[warps][32];  ///< zero from extracted_digits on
  unsigned log2_error[warps];
};

/// Stores the sum of a warp's expansions. By all lanes. `origin`: the position of their 2^0; 2^log2_omitted bounds
/// what a lane leaves out. Returns false if an addend was infinite or NaN; the partial is then worthless.
template <int warps, int levels>
__device__ __forceinline__ bool store_partial(warp_partials<warps>& to, expansion<levels> sum, int origin,
                                              unsigned log2_omitted) {
  const int lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
  const bool special = !sum.is_finite();
  if (special) sum = {};
  constexpr int check_after = levels == 2 ? 6 : 8;  // digits, for sums of numbers of about one size
  const warp_digits found = extract_digits<check_after>(sum.sum, origin);
  to.digit[warp][lane] = found.digit;
  if (lane == 0) to.first[warp] = found.first, to.log2_error[warp] = 0;
  const bool incomplete = found.remainder | (sum.dropped_magnitude != 0) | special | (log2_omitted != 0);
  if (!__any_sync(all_lanes, incomplete)) return true;
  constexpr unsigned for_lanes = 5, for_both = 1, for_rounding = 1;  // of the additions to dropped_magnitude
  const unsigned bound = max(sum.log2_bound(origin), log2_omitted);
  const unsigned largest =
      __reduce_max_sync(all_lanes, bound == 0 ? 0 : bound + for_lanes + for_both + for_rounding);
  if (lane == 0) to.log2_error[warp] = largest;
  return !__any_sync(all_lanes, special);
}

/// A bound, as a position, of `count` digits from `first` on, each below 2^40 in magnitude.
__device__ inline unsigned log2_bound_of_digits(int first, int count) {
  return static_cast<unsigned>(digit_bits * (first + count - 1) + 41);
}

/// The sum of the warps' partials, in the lanes of one warp.
template <int warps>
__device__ __forceinline__ lane_digits add_partials(const warp_partials<warps>& of) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int first = of.first[lane < warps ? lane : 0];
  const unsigned log2_error = of.log2_error[lane < warps ? lane : 0];
  constexpr int below = (max_lane_digits - extracted_digits + 1) / 2;  // as many are left above, for other blocks
  lane_digits sum{0, max(__reduce_max_sync(all_lanes, first) - below, 0), 0};
  const bool incomplete = (log2_error != 0) | ((first >= 0) & (first < sum.first));
  const auto digit_of = [&](int warp) {
    const int i = lane - (of.first[warp] - sum.first);
    const int digit = of.digit[warp][i & 31];
    return static_cast<unsigned>(i) < 32 ? digit : 0;
  };
  wide_int odd = 0;  // two chains of additions
#pragma unroll
  for (int warp = 0; warp < warps; ++warp) (warp % 2 == 0 ? sum.digit : odd) += digit_of(warp);
  sum.digit += odd;
  if (!__any_sync(all_lanes, incomplete)) return sum;
  const unsigned dropped =
      first >= 0 && first < sum.first ? log2_bound_of_digits(first, min(extracted_digits, sum.first - first)) : 0;
  sum.log2_error = __reduce_max_sync(all_lanes, max(log2_error, dropped));
  return sum;
}

}  // namespace
}  // namespace exactdot::cuda_engine

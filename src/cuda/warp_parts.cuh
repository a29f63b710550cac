// What the warps of a block leave in shared memory, and the sum of it: the first pass of mode exact.
//
// A warp leaves its sum within a window of 240 places, and a bound on what lies below. One warp adds the parts up,
// a piece a lane; what is far below the highest only raises the bound. So nothing here depends on the data, but for
// a vote or two.
#pragma once

#include <cuda/expansion.cuh>

namespace exactdot::cuda_engine {
namespace {

/// Lanes that a sum may use, so that enough are left for carries and the sign.
constexpr int reach_of_lanes = 29;

/// A sum, by the lanes of a warp: lane i has piece first + i, and no more than `reach_of_lanes` are used. Less than
/// 2^lost_end for each warp of the grid, as a position, is missing; 0: nothing. Bounds are the same in all lanes.
struct lane_sum {
  wide_int mine;
  int first;
  unsigned lost_end;
};

template <int warps>
struct warp_parts {
  int first[warps];     ///< negative: the part is 0
  int part[warps][32];  ///< zero from `window` on
  unsigned lost_end[warps];
};

/// Leaves the sum of a warp's expansions. `origin`: the position that stands for their 2^0; `left_out`: 2^this
/// bounds what else a lane has. False, and what is left counts for nothing, where a product was an infinity or a
/// NaN.
template <int warps, int levels>
__device__ __forceinline__ bool leave_part(warp_parts<warps>& to, expansion<levels> mine, int origin,
                                           unsigned left_out) {
  const int lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
  const bool special = !mine.is_finite();
  if (special) mine = {};
  constexpr int enough = levels == 2 ? 6 : 8;  // pieces, for sums of numbers of about one size
  const warp_part part = take_part<enough>(mine.sum, origin);
  to.part[warp][lane] = part.mine;
  if (lane == 0) to.first[warp] = part.first, to.lost_end[warp] = 0;
  if (!__any_sync(all_lanes, part.more | (mine.lost != 0) | special | (left_out != 0))) return true;
  constexpr unsigned of_lanes = 5, of_both = 1, of_rounding = 1;  // of the additions to `lost`
  const unsigned own = max(mine.end(origin), left_out);
  const unsigned most = __reduce_max_sync(all_lanes, own == 0 ? 0 : own + of_lanes + of_both + of_rounding);
  if (lane == 0) to.lost_end[warp] = most;
  return !__any_sync(all_lanes, special);
}

/// A bound, as a position, of `pieces` pieces from `first` on, each below 2^40.
__device__ inline unsigned end_of_pieces(int first, int pieces) {
  return static_cast<unsigned>(piece_bits * (first + pieces - 1) + 41);
}

/// The sum of the warps' parts, by the lanes of one warp.
template <int warps>
__device__ __forceinline__ lane_sum add_parts(const warp_parts<warps>& of) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int first = of.first[lane < warps ? lane : 0];
  const unsigned lost_end = of.lost_end[lane < warps ? lane : 0];
  constexpr int below = (reach_of_lanes - window + 1) / 2;  // and as much room above, for other blocks
  lane_sum sum{0, max(__reduce_max_sync(all_lanes, first) - below, 0), 0};
  const bool lacks = (lost_end != 0) | ((first >= 0) & (first < sum.first));
  const auto digit_of = [&](int warp) {
    const int i = lane - (of.first[warp] - sum.first);
    const int digit = of.part[warp][i & 31];
    return static_cast<unsigned>(i) < 32 ? digit : 0;
  };
  wide_int odd = 0;  // two chains of additions
#pragma unroll
  for (int warp = 0; warp < warps; ++warp) (warp % 2 == 0 ? sum.mine : odd) += digit_of(warp);
  sum.mine += odd;
  if (!__any_sync(all_lanes, lacks)) return sum;
  const unsigned dropped =
      first >= 0 && first < sum.first ? end_of_pieces(first, min(window, sum.first - first)) : 0;
  sum.lost_end = __reduce_max_sync(all_lanes, max(lost_end, dropped));
  return sum;
}

}  // namespace
}  // namespace exactdot::cuda_engine

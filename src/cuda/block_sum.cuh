// A block's sum in shared memory, from the parts that its warps leave there.
//
// Nearly always each warp leaves one part, and all parts lie close together: then the lanes of one warp add them
// up, a piece a lane, without atomics (block_digits). Whatever else there is goes to an array of all pieces by
// atomics.
#pragma once

#include <cuda/expansion.cuh>
#include <cuda/pieces.cuh>

namespace exactdot::cuda_engine {
namespace {

constexpr int most_warps = 32;

template <class T>
struct block_sum {
  int first[most_warps];  ///< of each warp's part
  int part[most_warps][window];
  wide_int piece[piece_grid<T>::count];  ///< what is not in the parts
  unsigned lost_end;         ///< each warp lacks less than 2^this, as a position in the pieces; 0: nothing
  wide_unsigned special[3];  ///< how many products were NaN, +infinity, -infinity
  unsigned scattered;        ///< something is in `piece`

  /// By all threads of the block; a barrier must follow.
  __device__ void clear() {
    for (int i = static_cast<int>(threadIdx.x); i < piece_grid<T>::count; i += static_cast<int>(blockDim.x)) {
      piece[i] = 0;
    }
    if (threadIdx.x == 0) lost_end = 0, scattered = 0;
    if (threadIdx.x < 3) special[threadIdx.x] = 0;
  }
};

/// Adds the expansions of a warp to the block's sum; `origin`: the position that stands for their 2^0. `whole`: the
/// warp's main sum, given once, whose largest part has a place of its own. False, and nothing is added, where a
/// product was an infinity or a NaN.
template <class T, int levels>
__device__ inline bool add_warp(block_sum<T>& to, const expansion<levels>& mine, int origin, bool whole) {
  const int lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
  digits x[levels];
#pragma unroll
  for (int k = 0; k < levels; ++k) x[k] = take_digits(mine.sum[k], origin);
  const bool finite = __all_sync(all_lanes, mine.is_finite());
  if (!finite) {
#pragma unroll
    for (int k = 0; k < levels; ++k) x[k].significand = 0;
  }
  const auto scatter_part = [&](const warp_part& part) {
    if (lane == 0) atomicOr(&to.scattered, 1U);
    if (part.mine != 0) add_to(to.piece + part.first + lane, part.mine);
  };
  warp_part part = take_part(x);
  if (!whole) {
    scatter_part(part);
  } else {
    if (lane == 0) to.first[warp] = part.first;
    if (lane < window) to.part[warp][lane] = part.mine;
  }
  while (part.more) {
    part = take_part(x);
    scatter_part(part);
  }
  if (!finite || !__any_sync(all_lanes, mine.lost != 0)) return finite;
  constexpr unsigned lanes_and_rounding = 5 + 1;  // of 32 lanes, and of the additions to `lost`
  const auto end = static_cast<unsigned>(end_of(take_digits(mine.lost, origin)));
  const unsigned most = __reduce_max_sync(all_lanes, end) + lanes_and_rounding;
  if (lane == 0) atomicMax(&to.lost_end, most);
  return true;
}

/// Neighbouring pieces in the lanes of a warp: lane i has piece first + i.
struct warp_digits {
  wide_int mine;
  int first;
  bool complete;  ///< false: the sum does not fit; nothing else is valid
};

/// The block's sum from its parts, by the lanes of one warp; incomplete where it is scattered.
template <int warps, class T>
__device__ inline warp_digits block_digits(const block_sum<T>& from) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int first = from.first[lane < warps ? lane : 0];
  const int least = __reduce_min_sync(all_lanes, first), most = __reduce_max_sync(all_lanes, first);
  if (from.scattered != 0 || most - least > 32 - window) return {0, 0, false};
  wide_int sum = 0;
#pragma unroll
  for (int warp = 0; warp < warps; ++warp) {
    const int i = lane + least - from.first[warp];
    sum += i >= 0 && i < window ? from.part[warp][i] : 0;
  }
  return {sum, least, true};
}

/// Moves the parts to the array of all pieces; by the lanes of one warp.
template <int warps, class T>
__device__ inline void scatter(block_sum<T>& sum) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  for (int warp = 0; warp < warps; ++warp) {
    if (lane < window) add_to(sum.piece + sum.first[warp] + lane, sum.part[warp][lane]);
  }
  __syncwarp();
}

}  // namespace
}  // namespace exactdot::cuda_engine

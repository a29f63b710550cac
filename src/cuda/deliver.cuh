// What becomes of a grid's sum, in the block that comes last: a rounded result, or words added to an exact state.
//
// Both are done by the lanes of one warp, and both may decline: a rounding that is not certain, a state that lacks
// something. Then the sum is made again from integers, which lacks nothing.
#pragma once

#include <core/state.hpp>
#include <cuda/round_pieces.cuh>

namespace exactdot::cuda_engine {
namespace {

/// Where the rounded sum goes: device memory, or host memory that is mapped into the device's.
template <class R>
struct rounded_result {
  R* to;
};

/// The words of an accumulator<T> in device memory, normalised or with additions to spare; the sum is added to
/// them, as one more state.
struct state_words {
  std::int64_t* to;
};

/// A sum that is complete but for lost_end: in the block's parts, or in its pieces.
struct sum_place {
  bool in_parts;
  unsigned lost_end;
};

template <class T>
__device__ bool has_special(const block_sum<T>& sum) {
  return (sum.special[0] | sum.special[1] | sum.special[2]) != 0;
}

template <int warps, class R, class T>
__device__ bool deliver(rounded_result<R> result, block_sum<T>& sum, unsigned* digit, sum_place place) {
  const bool lane_0 = threadIdx.x % 32 == 0;
  if (has_special(sum)) {
    const bool plus = sum.special[1] != 0, minus = sum.special[2] != 0;
    const bool none = sum.special[0] != 0 || (plus && minus);
    if (lane_0) *result.to = none ? core::canonical_nan<R>() : core::infinity<R>(minus);
    return true;
  }
  if (place.in_parts) {
    const warp_digits parts = block_digits<warps>(sum);
    const bool fits = __ballot_sync(all_lanes, parts.mine != 0) >> reach_of_lanes == 0;
    if (parts.complete && fits && place.lost_end == 0) {
      const R value = round_lanes<T, R>(parts.mine, parts.first);
      if (lane_0) *result.to = value;
      return true;
    }
    scatter<warps>(sum);
  }
  const rounded<R> found = round_pieces<R, T>(sum.piece, digit, place.lost_end);
  if (lane_0 && found.certain) *result.to = found.value;
  return __shfl_sync(all_lanes, static_cast<int>(found.certain), 0) != 0;
}

/// Bits first … first + 31 of digits in two's complement.
template <class T>
__device__ inline std::uint64_t bits_at(const unsigned* digit, int first, bool negative) {
  const auto at = [&](int i) -> std::uint64_t {
    return i < piece_grid<T>::count ? digit[i] : negative ? piece_mask : 0;
  };
  const int i = first / piece_bits;
  const std::uint64_t found = at(i) | at(i + 1) << piece_bits | (at(i + 2) & 0xffff) << (2 * piece_bits);
  return found >> first % piece_bits & 0xffffffff;
}

template <int warps, class T>
__device__ bool deliver(state_words words, block_sum<T>& sum, unsigned* digit, sum_place place) {
  using row = core::layout<T>;
  if (place.lost_end != 0 && !has_special(sum)) return false;
  if (place.in_parts) scatter<warps>(sum);
  const int lane = static_cast<int>(threadIdx.x % 32);
  wide_int carry = 0;
  if (lane == 0) {
    for (int i = 0; i < piece_grid<T>::count; ++i) {
      carry += sum.piece[i];
      digit[i] = static_cast<unsigned>(carry) & piece_mask;
      carry >>= piece_bits;
    }
  }
  const bool negative = __shfl_sync(all_lanes, static_cast<int>(carry < 0), 0) != 0;
  __syncwarp();
  for (int i = lane; i < row::limbs; i += 32) {
    std::uint64_t limb = bits_at<T>(digit, 32 * i, negative);
    if (i == row::limbs - 1) limb |= bits_at<T>(digit, 32 * i + 32, negative) << 32;
    words.to[i] += static_cast<std::int64_t>(limb);
  }
  if (lane < 3) {
    const std::int64_t count = words.to[row::nans + lane] + static_cast<std::int64_t>(sum.special[lane]);
    words.to[row::nans + lane] = min(count, row::largest_count);
  }
  if (lane == 0) ++words.to[row::states];
  return true;
}

}  // namespace
}  // namespace exactdot::cuda_engine

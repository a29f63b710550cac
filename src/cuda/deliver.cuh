// What becomes of a grid's sum: a rounded result, or words added to an exact state.
//
// By the lanes of one warp of the block that has it. After the first pass both may decline: a rounding that is not
// certain, a state that lacks something.
#pragma once

#include <core/state.hpp>
#include <cuda/exact_sum.cuh>
#include <cuda/round_pieces.cuh>

namespace exactdot::cuda_engine {
namespace {

/// log2 of the number of warps in the grid, rounded up.
__device__ inline unsigned log2_of_warps() {
  const unsigned warps = gridDim.x * ((blockDim.x + 31) / 32);
  return warps == 1 ? 0 : 32 - static_cast<unsigned>(__clz(static_cast<int>(warps - 1)));
}

/// Of the first pass. False: not certain, and nothing is delivered.
template <class T, class R>
__device__ __forceinline__ bool deliver(rounded_result<R> result, const lane_sum& sum, exact_sum<T>&, unsigned*) {
  const unsigned lost_end = sum.lost_end == 0 ? 0 : sum.lost_end + log2_of_warps();
  const rounded<R> found = round_sum<T, R>(sum.mine, sum.first, lost_end);
  if (found.certain && threadIdx.x % 32 == 0) put(result, found.value);
  return found.certain;
}

/// Of the second pass.
template <class T, class R>
__device__ void deliver(rounded_result<R> result, const exact_sum<T>& sum, unsigned* digit) {
  const R value = round_pieces<R, T>(sum.piece, digit);
  if (threadIdx.x % 32 == 0) put(result, value);
}

/// Of products some of which are infinities or NaNs.
template <class T, class R>
__device__ void deliver_special(rounded_result<R> result, const exact_sum<T>& sum) {
  const bool plus = sum.special[1] != 0, minus = sum.special[2] != 0;
  const bool none = sum.special[0] != 0 || (plus && minus);
  if (threadIdx.x % 32 == 0) put(result, none ? core::canonical_nan<R>() : core::infinity<R>(minus));
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

template <class T>
__device__ void deliver_special(state_words words, const exact_sum<T>& sum) {
  using row = core::layout<T>;
  const int lane = static_cast<int>(threadIdx.x % 32);
  if (lane < 3) {
    const std::int64_t count = words.to[row::nans + lane] + static_cast<std::int64_t>(sum.special[lane]);
    words.to[row::nans + lane] = min(count, row::largest_count);
  }
  if (lane == 0) ++words.to[row::states];
}

template <class T>
__device__ void deliver(state_words words, const exact_sum<T>& sum, unsigned* digit) {
  using row = core::layout<T>;
  const int lane = static_cast<int>(threadIdx.x % 32);
  wide_int carry = 0;
  if (lane == 0) {
    for (int i = 0; i < piece_grid<T>::count; ++i) {
      carry += sum.piece[i];
      digit[i] = static_cast<unsigned>(carry) & piece_mask;
      carry >>= piece_bits;
    }
    ++words.to[row::states];
  }
  const bool negative = __shfl_sync(all_lanes, static_cast<int>(carry < 0), 0) != 0;
  __syncwarp();
  for (int i = lane; i < row::limbs; i += 32) {
    std::uint64_t limb = bits_at<T>(digit, 32 * i, negative);
    if (i == row::limbs - 1) limb |= bits_at<T>(digit, 32 * i + 32, negative) << 32;
    words.to[i] += static_cast<std::int64_t>(limb);
  }
}

template <class T>
__device__ bool deliver(state_words words, const lane_sum& sum, exact_sum<T>& room, unsigned* digit) {
  if (sum.lost_end != 0) return false;
  room.clear_pieces(threadIdx.x % 32, 32);
  __syncwarp();
  room.add(sum);
  __syncwarp();
  deliver(words, room, digit);
  return true;
}

}  // namespace
}  // namespace exactdot::cuda_engine

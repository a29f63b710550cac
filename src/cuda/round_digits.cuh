// Rounds all digits of a superaccumulator once.
//
// By the lanes of a warp if the sum lies in up to 29 neighbouring digits; otherwise by one thread, digit by digit.
#pragma once

#include <cuda/round_lanes.cuh>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// Digits first..last, outside which all are zero; first > last if all are zero.
struct digit_range {
  int first, last;
};

/// By all lanes of a warp.
__device__ inline digit_range used_digits(const wide_int* digit, int count) {
  digit_range used{count, -1};
  for (int start = 0; start < count; start += 32) {
    const int i = start + static_cast<int>(threadIdx.x % 32);
    const unsigned found = __ballot_sync(all_lanes, i < count && digit[i] != 0);
    if (found == 0) continue;
    used.first = ::min(used.first, start + __ffs(static_cast<int>(found)) - 1);
    used.last = start + 31 - __clz(static_cast<int>(found));
  }
  return used;
}

/// One carry step through lanes' digits of any size, the topmost of which must be empty or all sign: leaves them
/// below 2^41.
__device__ __forceinline__ wide_int carry_once(wide_int digit) {
  const wide_int from_below = __shfl_up_sync(all_lanes, digit >> digit_bits, 1);
  return (digit & digit_mask) + (threadIdx.x % 32 == 0 ? 0 : from_below);
}

/// Rounds the digits of `used`; overwrites as many carried digits, and some more above. By one thread.
template <class Carrier>
__device__ std::uint64_t round_one_by_one(core::number_format to, const wide_int* digit, unsigned* carried,
                                          digit_range used) {
  constexpr int max_carry = 3;  // digits that a carry of 64 bits may fill
  wide_int carry = 0;
  sign_and_lowest of{false, -1};
  for (int i = used.first; i <= used.last + max_carry; ++i) {
    const wide_int sum = carry + (i <= used.last ? digit[i] : 0);
    carried[i] = static_cast<unsigned>(sum) & digit_mask;
    carry = sum >> digit_bits;
    if (carried[i] != 0 && of.lowest < 0) of.lowest = i;
  }
  if (of.lowest < 0) return 0;
  of.negative = carry < 0;
  int top = used.last + max_carry;
  while (magnitude_digit(carried[top], top, of) == 0) --top;
  std::uint64_t leading[4];
  for (int i = 0; i < 4; ++i) {
    leading[i] = top - i < of.lowest ? 0 : magnitude_digit(carried[top - i], top - i, of);
  }
  return round_leading<Carrier>(to, leading, top - 3, of);
}

/// The digits rounded, in lane 0 of a warp; by all its lanes. `carried`: as many as digits, in shared memory.
template <class Carrier>
__device__ std::uint64_t round_digits(core::number_format to, const wide_int* digit, unsigned* carried) {
  const digit_range used = used_digits(digit, digit_layout<Carrier>::count);
  const int lane = static_cast<int>(threadIdx.x % 32);
  if (used.last - used.first < max_lane_digits) {
    const int i = used.first + lane;
    return round_exactly<Carrier>(to, carry_once(i <= used.last ? digit[i] : 0), used.first);
  }
  return lane == 0 ? round_one_by_one<Carrier>(to, digit, carried, used) : 0;
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine

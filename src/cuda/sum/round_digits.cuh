// Rounds all digits of a superaccumulator once.
//
// By the lanes of a warp if the sum lies in up to 29 neighbouring digits; otherwise by one thread, digit by digit.
#pragma once

#include <cuda/sum/digits.cuh>
#include <exactdot/core/finish.hpp>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

// Rounds a sum in the lanes of a warp, one digit of 24 bits per lane.
//
// In integers: carries by ballots, digits by shuffles.

/// Lanes that a sum may use, so that enough are left for carries and the sign.
constexpr int max_lane_digits = 29;

/// The sign of a number in two's complement digits in [0, 2^24), and its lowest nonzero digit; below that digit the
/// magnitude's digits are zero too.
struct sign_and_lowest {
  bool negative;
  int lowest;
};

/// The magnitude's digit: for a negative number the complement, plus one at the lowest digit.
__device__ __forceinline__ std::uint64_t magnitude_digit(unsigned digit, int i, const sign_and_lowest& of) {
  if (!of.negative || i < of.lowest) return digit;
  return i == of.lowest ? digit_mask + 1 - digit : digit_mask - digit;
}

/// Rounds the leading four digits of the magnitude, the first of which is not 0; the last of them is digit `last`.
template <class Carrier>
__device__ __forceinline__ std::uint64_t round_leading(core::number_format to, const std::uint64_t (&leading)[4],
                                                       int last, const sign_and_lowest& of) {
  const std::uint64_t high = leading[0] << digit_bits | leading[1];
  const std::uint64_t low = leading[2] << digit_bits | leading[3];
  const int zeros = core::leading_zeros(high);
  const int dropped = 2 * digit_bits - zeros;
  const std::uint64_t significand = high << zeros | low >> dropped;
  const bool sticky = (low & ((std::uint64_t{1} << dropped) - 1)) != 0 || of.lowest < last;
  const int exponent = digit_layout<Carrier>::lowest + digit_bits * last + dropped;
  return core::round_significand(to, of.negative, significand, exponent, sticky);
}

/// Propagates carries through 32 lanes of digits smaller than 2^46. The carry out of the top is the sign, so the
/// upper lanes must be empty or all sign.
__device__ __forceinline__ unsigned propagate_carries(wide_int digit) {
  const unsigned lane = threadIdx.x % 32;
  const int from_below = __shfl_up_sync(all_lanes, static_cast<int>(digit >> digit_bits), 1);
  int carried = static_cast<int>(digit & digit_mask) + (lane == 0 ? 0 : from_below);
  // Now in (-2^22, 2^24 + 2^22). Carries of one pass through full digits, borrows through empty ones. Where they
  // arrive is in the sum of two binary numbers: the lanes that send and the lanes that pass on.
  const auto arrivals = [](bool sends, bool passes_on) {
    const unsigned on = __ballot_sync(all_lanes, passes_on);
    return ((__ballot_sync(all_lanes, sends) << 1) + on) ^ on;
  };
  constexpr int full = static_cast<int>(digit_mask);
  const unsigned carries = arrivals(carried > full, carried == full);
  carried += static_cast<int>(carries >> lane & 1);
  carried -= carried > full ? full + 1 : 0;
  carried -= static_cast<int>(arrivals(carried < 0, carried == 0) >> lane & 1);
  return static_cast<unsigned>(carried) & digit_mask;
}

/// Rounds a complete sum; the same in all lanes. Upper lanes as above.
template <class Carrier>
__device__ __forceinline__ std::uint64_t round_exactly(core::number_format to, wide_int digit, int first) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  const unsigned carried = propagate_carries(digit);
  const unsigned used = __ballot_sync(all_lanes, carried != 0);
  if (used == 0) return 0;
  const sign_and_lowest of{__shfl_sync(all_lanes, carried, 31) == digit_mask, __ffs(static_cast<int>(used)) - 1};
  const auto magnitude = static_cast<unsigned>(magnitude_digit(carried, lane, of));
  const int top = 31 - __clz(static_cast<int>(__ballot_sync(all_lanes, magnitude != 0)));
  std::uint64_t leading[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const unsigned found = __shfl_sync(all_lanes, magnitude, ::max(top - i, 0));
    leading[i] = top - i < 0 ? 0 : found;
  }
  return round_leading<Carrier>(to, leading, first + top - 3, {of.negative, of.lowest + first});
}

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

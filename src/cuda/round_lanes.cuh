// Rounds a sum in the lanes of a warp, one digit of 24 bits per lane.
//
// In integers: carries by ballots, digits by shuffles.
#pragma once

#include <cuda/digits.cuh>
#include <exactdot/core/finish.hpp>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

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

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine

// Rounds a sum in the lanes of a warp, one digit of 24 bits per lane.
//
// Nearly always the leading digits decide, as two doubles whose sum is known within a bound: if both ends of the
// interval round to the same number, that is the rounded sum (A. Ziv, ACM TOMS 17, 1991). Otherwise in integers:
// carries by ballots, digits by shuffles; and, where something is missing, both ends again.
#pragma once

#include <core/error_free.hpp>
#include <core/finish.hpp>
#include <cuda/warp_partials.cuh>

namespace exactdot::cuda_engine {
namespace {

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
    const unsigned found = __shfl_sync(all_lanes, magnitude, max(top - i, 0));
    leading[i] = top - i < 0 ? 0 : found;
  }
  return round_leading<Carrier>(to, leading, first + top - 3, {of.negative, of.lowest + first});
}

/// x as a double, without the slow conversion: |x| < 2^31.
__device__ __forceinline__ double to_double(int x) {
  const auto bits = std::uint64_t{0x43300000} << 32 | (static_cast<unsigned>(x) ^ 0x80000000U);
  return core::bit_cast<double>(bits) - (0x1p52 + 0x1p31);
}

/// The same in half the time, if it can be certain: the leading six digits as a double and its error, with a bound
/// on all that the others could add. 32 lanes' digits smaller than 2^46, the topmost of which must be empty. Less
/// than 2^log2_error, as a position, is missing; 0: nothing.
template <class Carrier>
__device__ __forceinline__ core::decision round_with_bound(const core::result_rule& rule, wide_int sum, int first,
                                                           unsigned log2_error) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int carry = __shfl_up_sync(all_lanes, static_cast<int>(sum >> digit_bits), 1);
  const int digit = static_cast<int>(sum & digit_mask) + (lane == 0 ? 0 : carry);  // below 1.25·2^24
  const int top = 31 - __clz(static_cast<int>(__ballot_sync(all_lanes, digit != 0)));
  const int below = __shfl_up_sync(all_lanes, digit, 1);
  constexpr double up = 1 << digit_bits;
  const double pair = __fma_rn(to_double(digit), up, to_double(lane == 0 ? 0 : below));  // exact: 50 bits
  const auto pair_at = [&](int i) {
    const double found = __shfl_sync(all_lanes, pair, max(i, 0));
    return i < 0 ? 0 : found;
  };
  // 2^exponent is the weight of the sixth digit
  const int exponent = digit_layout<Carrier>::lowest + digit_bits * (first + top - 5);
  const bool in_range = exponent > -900 && exponent < 850;
  const auto unit = core::bit_cast<double>(static_cast<std::uint64_t>((in_range ? exponent : 0) + 1023) << 52);
  const double high = pair_at(top) * (unit * (up * up * up * up));
  const double middle = pair_at(top - 2) * (unit * (up * up));
  const double low = pair_at(top - 4) * unit;
  // exact although |middle| may be the larger: high is a multiple of middle's last place
  const auto leading = core::fast_two_sum(high, middle);
  const double tail = leading.error + low;
  // of the digits below, of `tail`, and, if the format is narrower than double, of the ends
  const bool narrow = !rule.gives<double>();
  double error_bound = __fma_rn(fabs(leading.value), narrow ? 0x1p-50 : 0x1p-100, 8 * unit);
  if (log2_error != 0) {
    const int end = min(max(static_cast<int>(log2_error) + digit_layout<Carrier>::lowest, -1000), 1000);
    error_bound += core::bit_cast<double>(static_cast<std::uint64_t>(end + 1023) << 52);
  }
  core::decision found = core::decide(rule, leading.value, tail, error_bound);
  found.certain &= in_range;
  return found;
}

/// Rounds the lanes' sum in integers, where the leading digits leave it undecided; the same in all lanes. Not
/// inlined: it would stand between the parts of the usual path, which is bound by the fetching of instructions.
template <class Carrier>
[[gnu::noinline]] __device__ core::decision round_in_integers(core::number_format to, wide_int digit, int first,
                                                              unsigned log2_error) {
  if (log2_error == 0) return {round_exactly<Carrier>(to, digit, first), true};
  const int position = max(static_cast<int>(log2_error) - digit_bits * first, 0);
  if (position / digit_bits >= max_lane_digits) return {0, false};
  const bool in_this_lane = static_cast<int>(threadIdx.x % 32) == position / digit_bits;
  const wide_int bound = in_this_lane ? wide_int{1} << position % digit_bits : 0;
  const std::uint64_t low = round_exactly<Carrier>(to, digit - bound, first);
  return {low, low == round_exactly<Carrier>(to, digit + bound, first)};
}

/// Rounds the lanes' sum; the same in all of them. `log2_error`: less than 2^this, as a position, is missing; 0:
/// nothing.
template <class Carrier>
__device__ __forceinline__ core::decision round_sum(const core::result_rule& rule, wide_int digit, int first,
                                                    unsigned log2_error) {
  const core::decision found = round_with_bound<Carrier>(rule, digit, first, log2_error);
  return found.certain ? found : round_in_integers<Carrier>(rule.format(), digit, first, log2_error);
}

}  // namespace
}  // namespace exactdot::cuda_engine

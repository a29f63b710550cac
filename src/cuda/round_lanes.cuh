// Rounds a sum that the lanes of a warp hold, a piece of 24 bits each.
//
// Nearly always the leading pieces decide, as two doubles whose sum is known within a bound: if both ends of the
// interval round to the same number, that is the rounded sum, for rounding is monotone (A. Ziv, ACM TOMS 17, 1991).
// Else integers: carries by ballots, digits by shuffles; and, where something is missing, both ends again.
#pragma once

#include <core/error_free.hpp>
#include <core/rounding.hpp>
#include <cuda/warp_parts.cuh>

namespace exactdot::cuda_engine {
namespace {

template <class R>
struct rounded {
  R value;
  bool certain;
};

template <class R>
__device__ bool same_bits(R x, R y) {
  using bits = typename core::traits<R>::bits;
  return core::bit_cast<bits>(x) == core::bit_cast<bits>(y);
}

/// Digits of a number in [0, 2^24), in two's complement, and what they are the digits of.
struct sign_and_lowest {
  bool negative;
  int lowest;  ///< the lowest digit that is not 0; below the magnitude's digits are 0 too
};

/// The magnitude's digit: for a negative number the complement, and one.
__device__ __forceinline__ std::uint64_t magnitude_digit(unsigned digit, int i, const sign_and_lowest& of) {
  if (!of.negative || i < of.lowest) return digit;
  return i == of.lowest ? piece_mask + 1 - digit : piece_mask - digit;
}

/// From the leading four digits of the magnitude, the first of which is not 0; the last of them is piece `last`.
template <class T, class R>
__device__ __forceinline__ R round_leading(const std::uint64_t (&leading)[4], int last, const sign_and_lowest& of) {
  const std::uint64_t high = leading[0] << piece_bits | leading[1];
  const std::uint64_t low = leading[2] << piece_bits | leading[3];
  const int zeros = core::leading_zeros(high);
  const int dropped = 2 * piece_bits - zeros;
  const std::uint64_t significand = high << zeros | low >> dropped;
  const bool sticky = (low & ((std::uint64_t{1} << dropped) - 1)) != 0 || of.lowest < last;
  const int exponent = piece_grid<T>::lowest + piece_bits * last + dropped;
  return core::round_significand<R>(of.negative, significand, exponent, sticky);
}

/// Carries through 32 lanes, of pieces smaller than 2^46. What leaves the top is the sign, so the upper lanes must
/// be empty or all sign.
__device__ __forceinline__ unsigned carry_lanes(wide_int piece) {
  const unsigned lane = threadIdx.x % 32;
  const int from_below = __shfl_up_sync(all_lanes, static_cast<int>(piece >> piece_bits), 1);
  int digit = static_cast<int>(piece & piece_mask) + (lane == 0 ? 0 : from_below);
  // Now in (-2^22, 2^24 + 2^22). Carries of one run through full digits, borrows through empty ones; where they
  // come to is in the sum of two binary numbers: those who send, and those who hand on.
  const auto arrivals = [](bool sends, bool hands_on) {
    const unsigned on = __ballot_sync(all_lanes, hands_on);
    return ((__ballot_sync(all_lanes, sends) << 1) + on) ^ on;
  };
  constexpr int full = static_cast<int>(piece_mask);
  const unsigned carries = arrivals(digit > full, digit == full);
  digit += static_cast<int>(carries >> lane & 1);
  digit -= digit > full ? full + 1 : 0;
  digit -= static_cast<int>(arrivals(digit < 0, digit == 0) >> lane & 1);
  return static_cast<unsigned>(digit) & piece_mask;
}

/// Rounds a complete sum; the same in all lanes. Upper lanes as above.
template <class T, class R>
__device__ __forceinline__ R round_lanes(wide_int piece, int first) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  const unsigned digit = carry_lanes(piece);
  const unsigned used = __ballot_sync(all_lanes, digit != 0);
  if (used == 0) return R{0};
  const sign_and_lowest of{__shfl_sync(all_lanes, digit, 31) == piece_mask, __ffs(static_cast<int>(used)) - 1};
  const auto own = static_cast<unsigned>(magnitude_digit(digit, lane, of));
  const int top = 31 - __clz(static_cast<int>(__ballot_sync(all_lanes, own != 0)));
  std::uint64_t leading[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const unsigned found = __shfl_sync(all_lanes, own, max(top - i, 0));
    leading[i] = top - i < 0 ? 0 : found;
  }
  return round_leading<T, R>(leading, first + top - 3, {of.negative, of.lowest + first});
}

/// x as a double, without the slow conversion: |x| < 2^31.
__device__ __forceinline__ double to_double(int x) {
  const auto bits = std::uint64_t{0x43300000} << 32 | (static_cast<unsigned>(x) ^ 0x80000000U);
  return core::bit_cast<double>(bits) - (0x1p52 + 0x1p31);
}

/// What round_lanes says, where it can be had in half the time: the leading six digits as a double and its error,
/// and a rounding that stays the same over all that the others could add. 32 lanes' pieces smaller than 2^46, the
/// topmost of which must be empty. Less than 2^lost_end, as a position, is missing; 0: nothing.
template <class T, class R>
__device__ __forceinline__ rounded<R> round_quickly(wide_int piece, int first, unsigned lost_end) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int carry = __shfl_up_sync(all_lanes, static_cast<int>(piece >> piece_bits), 1);
  const int digit = static_cast<int>(piece & piece_mask) + (lane == 0 ? 0 : carry);  // below 1.25·2^24
  const int top = 31 - __clz(static_cast<int>(__ballot_sync(all_lanes, digit != 0)));
  const int below = __shfl_up_sync(all_lanes, digit, 1);
  constexpr double up = 1 << piece_bits;
  const double pair = __fma_rn(to_double(digit), up, to_double(lane == 0 ? 0 : below));  // exact: 50 bits
  const auto pair_at = [&](int i) {
    const double found = __shfl_sync(all_lanes, pair, max(i, 0));
    return i < 0 ? 0 : found;
  };
  // 2^exponent is the weight of the sixth digit
  const int exponent = piece_grid<T>::lowest + piece_bits * (first + top - 5);
  const bool in_range = exponent > -900 && exponent < 850;
  const auto unit = core::bit_cast<double>(static_cast<std::uint64_t>((in_range ? exponent : 0) + 1023) << 52);
  const double high = pair_at(top) * (unit * (up * up * up * up));
  const double middle = pair_at(top - 2) * (unit * (up * up));
  const double low = pair_at(top - 4) * unit;
  // exact although |middle| may be the larger: high is a multiple of middle's last place
  const auto sum = core::fast_two_sum(high, middle);
  const double rest = sum.error + low;
  // of the digits below, of `rest`, and, where R is narrower, of the sums that are to be rounded to R
  double doubt = __fma_rn(fabs(sum.value), sizeof(R) < sizeof(double) ? 0x1p-50 : 0x1p-100, 8 * unit);
  if (lost_end != 0) {
    const int end = min(max(static_cast<int>(lost_end) + piece_grid<T>::lowest, -1000), 1000);
    doubt += core::bit_cast<double>(static_cast<std::uint64_t>(end + 1023) << 52);
  }
  const auto least = static_cast<R>(sum.value + (rest - doubt));
  const auto most = static_cast<R>(sum.value + (rest + doubt));
  return {least, in_range && same_bits(least, most)};
}

/// The lanes' sum, rounded; the same in all of them. `lost_end`: less than 2^this, as a position, is missing; 0:
/// nothing.
template <class T, class R>
__device__ __forceinline__ rounded<R> round_sum(wide_int piece, int first, unsigned lost_end) {
  const rounded<R> found = round_quickly<T, R>(piece, first, lost_end);
  if (found.certain) return found;
  if (lost_end == 0) return {round_lanes<T, R>(piece, first), true};
  const int at = max(static_cast<int>(lost_end) - piece_bits * first, 0);
  if (at / piece_bits >= reach_of_lanes) return found;
  const bool here = static_cast<int>(threadIdx.x % 32) == at / piece_bits;
  const wide_int bound = here ? wide_int{1} << at % piece_bits : 0;
  const R least = round_lanes<T, R>(piece - bound, first), most = round_lanes<T, R>(piece + bound, first);
  return {least, same_bits(least, most)};
}

}  // namespace
}  // namespace exactdot::cuda_engine

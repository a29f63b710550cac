// Rounds pieces once: carries first, then the leading digits and whether anything lies below.
//
// By the lanes of a warp where up to 28 neighbouring pieces hold the sum: carries by ballots, digits by shuffles,
// some 200 clocks. By one thread, a piece after the other, for what is spread wider. Where something was lost below
// a bound, the sum lies within value ± bound; if both ends round to the same number, that number is the rounded
// sum, for rounding is monotone (A. Ziv, ACM TOMS 17, 1991). Else: not certain.
#pragma once

#include <core/rounding.hpp>
#include <cuda/block_sum.cuh>

namespace exactdot::cuda_engine {
namespace {

/// Lanes that a sum may use, so that enough are left for carries and the sign.
constexpr int reach_of_lanes = 29;

template <class R>
struct rounded {
  R value;
  bool certain;
};

/// Pieces first..last are not all zero; first > last where all are.
struct piece_range {
  int first, last;
};

/// By all lanes of a warp.
__device__ inline piece_range used_pieces(const wide_int* piece, int count) {
  piece_range used{count, -1};
  for (int start = 0; start < count; start += 32) {
    const int i = start + static_cast<int>(threadIdx.x % 32);
    const unsigned found = __ballot_sync(all_lanes, i < count && piece[i] != 0);
    if (found == 0) continue;
    used.first = min(used.first, start + __ffs(static_cast<int>(found)) - 1);
    used.last = start + 31 - __clz(static_cast<int>(found));
  }
  return used;
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

/// Carries through 32 lanes. What leaves the top is the sign, so the upper lanes must be empty or all sign.
__device__ __forceinline__ unsigned carry_lanes(wide_int piece) {
  const unsigned lane = threadIdx.x % 32;
  const wide_int first = __shfl_up_sync(all_lanes, piece >> piece_bits, 1);
  piece = (piece & piece_mask) + (lane == 0 ? 0 : first);  // below 2^40
  const int second = __shfl_up_sync(all_lanes, static_cast<int>(piece >> piece_bits), 1);
  int digit = static_cast<int>(piece & piece_mask) + (lane == 0 ? 0 : second);
  const int third = __shfl_up_sync(all_lanes, digit >> piece_bits, 1);
  digit = (digit & static_cast<int>(piece_mask)) + (lane == 0 ? 0 : third);
  // Now in [-1, 2^24]. Carries of one run through full digits, borrows through empty ones; where they come to is in
  // the sum of two binary numbers: those who send, and those who hand on.
  const auto arrivals = [](bool sends, bool hands_on) {
    const unsigned on = __ballot_sync(all_lanes, hands_on);
    return ((__ballot_sync(all_lanes, sends) << 1) + on) ^ on;
  };
  constexpr int full = static_cast<int>(piece_mask);
  digit += static_cast<int>(arrivals(digit == full + 1, digit == full) >> lane & 1);
  digit -= digit > full ? full + 1 : 0;
  digit -= static_cast<int>(arrivals(digit == -1, digit == 0) >> lane & 1);
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

/// pieces + shift · 2^position, rounded to R; overwrites the digits of `used`, and some more above. By one thread.
/// `shift` is 1, 0 or −1.
template <class T, class R>
__device__ R round_one_by_one(const wide_int* piece, unsigned* digit, piece_range used, int shift, int position) {
  constexpr int largest_carry = 3;  // digits that a carry of 64 bits may fill
  const int shifted = position / piece_bits;
  if (shift != 0) used.first = min(used.first, shifted), used.last = max(used.last, shifted);
  wide_int carry = 0;
  sign_and_lowest of{false, -1};
  for (int i = used.first; i <= used.last + largest_carry; ++i) {
    wide_int sum = carry + (i <= used.last ? piece[i] : 0);
    if (shift != 0 && i == shifted) sum += static_cast<wide_int>(shift) << position % piece_bits;
    digit[i] = static_cast<unsigned>(sum) & piece_mask;
    carry = sum >> piece_bits;
    if (digit[i] != 0 && of.lowest < 0) of.lowest = i;
  }
  if (of.lowest < 0) return R{0};
  of.negative = carry < 0;
  int top = used.last + largest_carry;
  while (magnitude_digit(digit[top], top, of) == 0) --top;
  std::uint64_t leading[4];
  for (int i = 0; i < 4; ++i) {
    leading[i] = top - i < of.lowest ? 0 : magnitude_digit(digit[top - i], top - i, of);
  }
  return round_leading<T, R>(leading, top - 3, of);
}

template <class R>
__device__ bool same_bits(R x, R y) {
  using bits = typename core::traits<R>::bits;
  return core::bit_cast<bits>(x) == core::bit_cast<bits>(y);
}

/// What the pieces come to, in lane 0 of a warp; by all its lanes. `lost_end`: less than 2^this, as a position, is
/// missing; 0: nothing. `digit`: as many as pieces, in shared memory.
template <class R, class T>
__device__ rounded<R> round_pieces(const wide_int* piece, unsigned* digit, unsigned lost_end) {
  constexpr int count = piece_grid<T>::count;
  const int lane = static_cast<int>(threadIdx.x % 32);
  const auto position = static_cast<int>(lost_end);
  const int shifted = position / piece_bits;
  const piece_range used = used_pieces(piece, count);
  if (shifted >= count - 4) return {R{0}, false};
  piece_range all = used;
  if (lost_end != 0) all.first = min(all.first, shifted), all.last = max(all.last, shifted);
  if (all.last - all.first < reach_of_lanes) {
    const int i = all.first + lane;
    const wide_int mine = i <= used.last ? piece[i] : 0;
    if (lost_end == 0) return {round_lanes<T, R>(mine, all.first), true};
    const wide_int bound = i == shifted ? wide_int{1} << position % piece_bits : 0;
    const R least = round_lanes<T, R>(mine - bound, all.first), most = round_lanes<T, R>(mine + bound, all.first);
    return {least, same_bits(least, most)};
  }
  if (lane != 0) return {R{0}, false};
  if (lost_end == 0) return {round_one_by_one<T, R>(piece, digit, used, 0, 0), true};
  const R least = round_one_by_one<T, R>(piece, digit, used, -1, position);
  const R most = round_one_by_one<T, R>(piece, digit, used, 1, position);
  return {least, same_bits(least, most)};
}

}  // namespace
}  // namespace exactdot::cuda_engine

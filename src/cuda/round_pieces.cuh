// Rounds the array of all pieces once: the second pass of mode exact, where nothing is missing.
//
// By the lanes of a warp where up to 29 neighbouring pieces hold the sum; by one thread, a piece after the other,
// for what is spread wider.
#pragma once

#include <cuda/round_lanes.cuh>

namespace exactdot::cuda_engine {
namespace {

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

/// One carry through lanes' pieces of any size, the topmost of which must be empty or all sign: leaves them below
/// 2^41.
__device__ __forceinline__ wide_int carry_once(wide_int piece) {
  const wide_int from_below = __shfl_up_sync(all_lanes, piece >> piece_bits, 1);
  return (piece & piece_mask) + (threadIdx.x % 32 == 0 ? 0 : from_below);
}

/// Rounds the pieces of `used`; overwrites as many digits, and some more above. By one thread.
template <class T, class R>
__device__ R round_one_by_one(const wide_int* piece, unsigned* digit, piece_range used) {
  constexpr int largest_carry = 3;  // digits that a carry of 64 bits may fill
  wide_int carry = 0;
  sign_and_lowest of{false, -1};
  for (int i = used.first; i <= used.last + largest_carry; ++i) {
    const wide_int sum = carry + (i <= used.last ? piece[i] : 0);
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

/// What the pieces come to, in lane 0 of a warp; by all its lanes. `digit`: as many as pieces, in shared memory.
template <class R, class T>
__device__ R round_pieces(const wide_int* piece, unsigned* digit) {
  const piece_range used = used_pieces(piece, piece_grid<T>::count);
  const int lane = static_cast<int>(threadIdx.x % 32);
  if (used.last - used.first < reach_of_lanes) {
    const int i = used.first + lane;
    return round_lanes<T, R>(carry_once(i <= used.last ? piece[i] : 0), used.first);
  }
  return lane == 0 ? round_one_by_one<T, R>(piece, digit, used) : R{0};
}

}  // namespace
}  // namespace exactdot::cuda_engine

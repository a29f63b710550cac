// Pieces: the exact state in the form that suits a GPU, signed digits of radix 2^24.
//
// Digits of 24 bits leave room in a 32-bit register for the sum over a warp, which __reduce_add_sync takes in one
// instruction; a block and the whole grid add them up in 64 bits. Like the limbs of src/core they are integers, so
// whoever adds them in whatever order gets the same number.
#pragma once

#include <core/special.hpp>
#include <cuda/state.hpp>
#include <exactdot/simt/cuda.hpp>

namespace exactdot::cuda_engine {
namespace {

constexpr unsigned piece_mask = (1U << piece_bits) - 1;
constexpr unsigned all_lanes = 0xffffffffU;

__device__ inline void add_to(wide_int* piece, wide_int value) {
  atomicAdd(reinterpret_cast<wide_unsigned*>(piece), static_cast<wide_unsigned>(value));
}

constexpr int window = 10;  // pieces that one conversion fills

/// A warp's sum, or the part of it that lies within `window` pieces of its largest number.
struct warp_part {
  int first;  ///< the piece that lane 0 has; negative: the sum is 0
  int mine;   ///< of lane i < window: piece first + i, signed, below 2^31; of others 0
  bool more;  ///< something lies below; in this lane
};

__device__ __forceinline__ unsigned high_word(double x) {
  return static_cast<unsigned>(core::bit_cast<std::uint64_t>(x) >> 32);
}

/// The bound of the doubles that take_part takes: |x| < 2^971, and no bit below 2^-1050.
constexpr int convertible_end = 971, convertible_lowest = -1050;

/// The high word of |x|; not 0 for the smallest subnormal numbers either.
__device__ __forceinline__ unsigned magnitude_word(double x) {
  const auto low = static_cast<unsigned>(core::bit_cast<std::uint64_t>(x));
  return (high_word(x) & 0x7fffffffU) | min(low, 1U);
}

/// One more than the position of the highest bit of x that may be set, at least 1; 0 for zero.
__device__ __forceinline__ unsigned end_of(double x, int origin) {
  const int field = static_cast<int>(high_word(x) >> 20 & 0x7ff);
  return x == 0 ? 0 : static_cast<unsigned>(max(max(field, 1) - 1022 + origin, 1));
}

/// Takes the largest part out of the sum of x[0..count) over all lanes, exactly; x keeps the rest. `origin`: the
/// position, from bit 0 of piece 0, of 2^0.
///
/// Two pieces of x at a time are what x + 1.5·2^52 units has in its significand: three additions, all exact (the
/// extraction of S. M. Rump, T. Ogita, S. Oishi, "Accurate floating-point summation part I", 2008, §3). `enough`:
/// pieces after which to look whether more are needed.
template <int enough, int count>
__device__ __forceinline__ warp_part take_part(double (&x)[count], int origin) {
  static_assert(count <= 3 && enough % 2 == 0 && window % 2 == 0);  // three pieces from 32 lanes: below 2^31
  unsigned largest = 0;
#pragma unroll
  for (int k = 0; k < count; ++k) largest = max(largest, magnitude_word(x[k]));
  largest = __reduce_max_sync(all_lanes, largest);
  const int end = max(static_cast<int>(largest >> 20), 1) - 1022 + origin;
  // anchors stay normal numbers: the lowest piece of the window weighs at least 2^-1074
  const int least_top = max((origin - 1074 + piece_bits - 1) / piece_bits, 0) + window - 1;
  const int top = max(end / piece_bits, least_top);
  warp_part part{largest == 0 ? -1 : top - (window - 1), 0, false};
  const int lane = static_cast<int>(threadIdx.x % 32);
  constexpr unsigned half = 0x80000;
  unsigned anchor_high = static_cast<unsigned>(piece_bits * (top - 1) - origin + 52 + 1023) << 20 | half;
#pragma unroll
  for (int i = window - 2; i >= 0; i -= 2, anchor_high -= 2 * piece_bits << 20) {
    if (i == window - 2 - enough) {
      bool left = false;
#pragma unroll
      for (int k = 0; k < count; ++k) left |= x[k] != 0;
      if (!__any_sync(all_lanes, left)) return part;
    }
    const auto anchor = core::bit_cast<double>(std::uint64_t{anchor_high} << 32);
    unsigned low = 0;
    int high = 0;
#pragma unroll
    for (int k = 0; k < count; ++k) {
      const double shifted = x[k] + anchor;
      const auto pieces = static_cast<wide_int>(core::bit_cast<std::uint64_t>(shifted)) -
                          static_cast<wide_int>(std::uint64_t{anchor_high} << 32);
      low += static_cast<unsigned>(pieces) & piece_mask;
      high += static_cast<int>(pieces >> piece_bits);
      x[k] -= shifted - anchor;
    }
    const auto low_total = static_cast<int>(__reduce_add_sync(all_lanes, low));
    const int high_total = __reduce_add_sync(all_lanes, high);
    if (lane == i) part.mine = low_total;
    if (lane == i + 1) part.mine = high_total;
  }
#pragma unroll
  for (int k = 0; k < count; ++k) part.more |= x[k] != 0;
  return part;
}

/// pieces += a finite product of two T, by integers. For any thread at any time.
template <class T>
__device__ inline void add_term(wide_int* pieces, const core::exact_term& term) {
  const int position = term.exponent - piece_grid<T>::lowest;
  const int shift = position % piece_bits;
  const auto add_piece = [&](int i, core::uint128 part) {
    const auto piece = static_cast<wide_int>(static_cast<unsigned>(part) & piece_mask);
    if (piece != 0) add_to(pieces + i, term.negative ? -piece : piece);
  };
  add_piece(position / piece_bits, term.magnitude << shift);  // what leaves the top comes with the rest
  core::uint128 rest = term.magnitude >> (piece_bits - shift);
  for (int i = position / piece_bits + 1; rest != 0; ++i, rest >>= piece_bits) add_piece(i, rest);
}

}  // namespace
}  // namespace exactdot::cuda_engine

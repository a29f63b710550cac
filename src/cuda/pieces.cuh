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

/// A finite double as an integer: ±significand · 2^(position), positions counted from bit 0 of piece 0.
struct digits {
  std::uint64_t significand;
  int position;
  bool negative;
};

/// `origin`: the position that stands for 2^0.
__device__ inline digits take_digits(double x, int origin) {
  const std::uint64_t bits = core::bit_cast<std::uint64_t>(x);
  const int field = static_cast<int>(bits >> 52 & 0x7ff);
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
  return {field == 0 ? fraction : fraction | std::uint64_t{1} << 52, (field == 0 ? 1 : field) - 1075 + origin,
          bits >> 63 != 0};
}

/// One more than the position of the highest bit; 0 for zero.
__device__ inline int end_of(const digits& x) {
  return x.significand == 0 ? 0 : x.position + 64 - core::leading_zeros(x.significand);
}

/// Adds one lane's number to the pieces of a window that starts at `bottom`; keeps what lies below it.
template <int window>
__device__ inline void take_out(digits& x, int bottom, int (&sum)[window]) {
  const int offset = x.position - bottom;
  std::uint64_t inside = x.significand;
  if (offset < 0) inside = offset > -64 ? x.significand >> -offset << -offset : 0;
  x.significand -= inside;
  const int sign = x.negative ? -1 : 0;
#pragma unroll
  for (int i = 0; i < window; ++i) {
    const int shift = piece_bits * i - offset;  // of the significand, to the right
    std::uint64_t part = 0;
    if (shift >= 0 && shift < 64) part = inside >> shift;
    if (shift < 0 && shift > -piece_bits) part = inside << -shift;
    const int piece = static_cast<int>(static_cast<unsigned>(part) & piece_mask);
    sum[i] += (piece ^ sign) - sign;
  }
}

constexpr int window = 8;  // pieces that one round of a conversion fills

/// A warp's sum, or the part of it that lies within `window` pieces of its largest number.
struct warp_part {
  int first;  ///< the piece that lane 0 has
  int mine;   ///< of lane i < window: piece first + i, signed, less than 2^31; of others 0
  bool more;  ///< something lies below; in all lanes
};

/// Takes the largest part out of the sum of x[0..count) over all lanes, exactly; x keeps the rest. One round takes
/// all of it unless the exponents spread over more than some 140 places.
template <int count>
__device__ __forceinline__ warp_part take_part(digits (&x)[count]) {
  static_assert(count <= 3);  // three numbers of 24 bits from 32 lanes: below 2^31
  int end = 0;
#pragma unroll
  for (int k = 0; k < count; ++k) end = max(end, end_of(x[k]));
  end = static_cast<int>(__reduce_max_sync(all_lanes, static_cast<unsigned>(end)));
  warp_part part{max((end + piece_bits - 1) / piece_bits - window, 0), 0, false};
  int sum[window] = {};
#pragma unroll
  for (int k = 0; k < count; ++k) take_out<window>(x[k], piece_bits * part.first, sum);
  const int lane = static_cast<int>(threadIdx.x % 32);
#pragma unroll
  for (int i = 0; i < window; ++i) {
    const int total = __reduce_add_sync(all_lanes, sum[i]);
    if (lane == i) part.mine = total;
  }
  bool left = false;
#pragma unroll
  for (int k = 0; k < count; ++k) left = left || x[k].significand != 0;
  part.more = __any_sync(all_lanes, left);
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

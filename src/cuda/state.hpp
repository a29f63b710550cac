// What lies in device memory between the blocks of a launch: their mail, and sums in pieces for what is too wide to
// be mailed.
//
// A piece is a signed digit of radix 2^24; see pieces.cuh. Pieces and counts are zero between launches: the block
// that reads the mail leaves them so.
#pragma once

#include <core/traits.hpp>

namespace exactdot::cuda_engine {

using wide_int = long long;
using wide_unsigned = unsigned long long;

inline constexpr int piece_bits = 24;

template <class T>
struct piece_grid {
  /// Bit 0 of piece 0 weighs 2^lowest.
  static constexpr int lowest = core::lowest_product_exponent<T>;
  /// Enough for sums of 2^63 largest products, and for what a conversion may write above its topmost bit.
  static constexpr int count = (core::highest_product_exponent<T> + core::headroom_bits - lowest) / piece_bits + 4;
};

template <class T>
struct grid_sum {
  wide_int piece[piece_grid<T>::count];
  wide_unsigned special[3];  ///< how many products were NaN, +infinity, -infinity
};

/// For all kernels of a stream in turn; see mailbox.cuh.
struct mailbox {
  static constexpr unsigned words = 16384;
  wide_unsigned tickets;
  wide_unsigned verdict;  ///< of the reader, on the first pass of mode exact
  unsigned given;         ///< blocks that are done with the second; zero between launches
  wide_unsigned word[words];
};

}  // namespace exactdot::cuda_engine

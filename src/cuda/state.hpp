// What lies in device memory between the blocks of a launch: sums in pieces, nodes of order v1's tree.
//
// A piece is a signed digit of radix 2^24; see pieces.cuh. Zero between launches, but for the nodes: the block that
// comes last leaves it so.
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
  unsigned lost_end;         ///< each warp lacks less than 2^this, as a position in the pieces; 0: nothing
  unsigned blocks_done;
};

template <class T>
struct grid_nodes {
  static constexpr unsigned most = 8192;
  T node[most];
  unsigned blocks_done;
};

}  // namespace exactdot::cuda_engine

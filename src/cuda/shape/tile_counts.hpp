// How the tiles of order v1 are distributed in a launch: a warp adds a subtree of 2^log2_tiles tiles, the warps of
// a block a node of the tree. No distribution changes a bit.
#pragma once

#include <cstddef>
#include <cuda/core/device_state.hpp>
#include <exactdot/order_v1.hpp>

namespace exactdot::inline v0_3::cuda_engine {

inline constexpr unsigned max_nodes = 8192;  // of a launch
static_assert(max_nodes * sizeof(double) / 4 <= exchange::words);

/// A parameter of the kernel: to derive the counts there takes as long as a message between blocks.
struct tile_counts {
  std::size_t tiles;
  std::size_t subtrees;
  unsigned nodes;
  int log2_tiles;  ///< of a subtree
};

/// Of n elements, with the smallest subtrees that keep the number of nodes within its limit.
template <class T>
tile_counts count_tiles(std::size_t n, unsigned warps) {
  constexpr std::size_t tile = order_v1<T>::tile;
  int log2_tiles = 0;
  for (std::size_t per_node = tile * warps; (n + per_node - 1) / per_node > max_nodes; per_node *= 2) ++log2_tiles;
  const std::size_t tiles = (n + tile - 1) / tile;
  const std::size_t subtrees = (tiles + (std::size_t{1} << log2_tiles) - 1) >> log2_tiles;
  return {tiles, subtrees, static_cast<unsigned>((subtrees + warps - 1) / warps), log2_tiles};
}

}  // namespace exactdot::inline v0_3::cuda_engine

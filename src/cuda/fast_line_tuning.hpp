// Launch configurations of mode fast of lines (fast_line_kernel.cuh): one row per range of lengths, in bytes of a
// line of carriers. Reasoned from those of exact sums (line_tuning.hpp): as many lanes a line, 3 or 4 blocks of 256
// threads resident.
#pragma once

#include <cuda/line_tuning.hpp>
#include <cuda/split_lines.hpp>
#include <exactdot/order_v1.hpp>

namespace exactdot::inline v0_3::cuda_engine {

struct fast_line_row {
  std::size_t max_bytes;                             ///< of a line; the first row that fits counts
  int lanes;                                         ///< of a line: of a warp, or all threads of a block
  int packs, stripes;                                ///< of tile_shape
  int threads, resident, blocks_per_multiprocessor;  ///< of line_config

  [[nodiscard]] constexpr std::size_t lines_of_block() const {
    return lanes > 32 ? 1 : static_cast<std::size_t>(threads / lanes);
  }
  /// Whether the lanes hold all that lines of this row have.
  [[nodiscard]] constexpr bool is_sound() const {
    return lanes * packs == 32 || lanes > 32 || max_bytes <= static_cast<std::size_t>(lanes * packs * 16);
  }
};

/// Of carriers that follow each other.
inline constexpr std::array fast_line_rows = {
    fast_line_row{16, 1, 1, 1, 256, 4, 16},         fast_line_row{64, 2, 2, 1, 256, 4, 16},
    fast_line_row{256, 4, 4, 1, 256, 3, 12},        fast_line_row{8 * kibi, 8, 4, 1, 256, 3, 12},
    fast_line_row{32 * kibi, 32, 1, 4, 256, 3, 12}, fast_line_row{unlimited, 256, 1, 4, 256, 3, 12},
};

/// Of 16-bit elements that follow each other.
inline constexpr std::array fast_converted_line_rows = {
    fast_line_row{64, 2, 2, 1, 256, 4, 16},
    fast_line_row{8 * kibi, 8, 4, 1, 256, 3, 12},
    fast_line_row{64 * kibi, 32, 1, 4, 256, 3, 12},
    fast_line_row{unlimited, 256, 1, 4, 256, 3, 12},
};

/// Of other lines of carriers.
inline constexpr std::array fast_strided_line_rows = {
    fast_line_row{8 * kibi, 8, 4, 1, 256, 2, 16},
    fast_line_row{unlimited, 256, 1, 2, 256, 2, 8},
};

/// Of lines whose elements are converted one by one.
inline constexpr std::array fast_any_line_rows = {
    fast_line_row{64 * kibi, 32, 1, 1, 256, 3, 16},
    fast_line_row{unlimited, 256, 1, 1, 256, 3, 12},
};

/// Of columns whose elements are converted one by one.
inline constexpr column_config fast_any_column_config = {32, 1024, 0, 1, 2};

/// Of columns of carriers. The last, for columns of few elements: a thread for each.
inline constexpr std::array fast_column_configs = {
    column_config{32, 256, 0, 3, 12}, column_config{8, 128, 0, 6, 24}, column_config{256, 256, 0, 3, 12}};
inline constexpr std::size_t max_fast_elements_of_thread = 16;

/// Lanes of a tile that a thread adds.
template <class T>
constexpr int sums_of_thread(const column_config& config) {
  constexpr int of_tile = static_cast<int>(order_v1<T>::lanes);
  const int lanes = config.threads / config.columns;
  return lanes == 1 ? static_cast<int>(max_fast_elements_of_thread) : of_tile / lanes;
}

/// The configuration for so many columns of n elements: the last one if columns are short, and many enough to fill
/// the GPU; else the first, if that gives every multiprocessor a block.
constexpr std::size_t fast_columns_for(std::size_t count, std::size_t n, int multiprocessors) {
  const auto fills = [&](std::size_t which) {
    return count >= static_cast<std::size_t>(multiprocessors * fast_column_configs[which].columns);
  };
  if (n <= max_fast_elements_of_thread && fills(2)) return 2;
  return fills(0) ? 0 : 1;
}

/// Of few long columns, whose tiles blocks share; any element type.
inline constexpr column_config fast_split_column_config = {8, 128, 0, 6, 6};

/// How blocks share columns: each takes 2^log2_tiles tiles of a panel.
struct column_parts {
  int log2_tiles;
  unsigned parts;  ///< of a panel; 1: they are not shared
};

/// For so many columns of n elements, `tile` elements a tile: as many parts as the GPU holds blocks at once, or
/// half of that, because parts are subtrees.
constexpr column_parts parts_of_fast_columns(std::size_t count, std::size_t n, std::size_t tile,
                                             int multiprocessors) {
  constexpr auto columns = static_cast<std::size_t>(fast_split_column_config.columns);
  const std::size_t panels = (count + columns - 1) / columns, tiles = (n + tile - 1) / tile;
  const auto resident = static_cast<std::size_t>(multiprocessors * fast_split_column_config.resident);
  const std::size_t most = std::min(resident / panels, max_fast_nodes / (panels * columns));
  if (panels > max_split_blocks || most < 2 || tiles < 2) return {0, 1};
  column_parts found{0, 1};
  while (((tiles - 1) >> found.log2_tiles) >= most) ++found.log2_tiles;
  found.parts = static_cast<unsigned>(((tiles - 1) >> found.log2_tiles) + 1);
  return found;
}

/// log2 of the tiles that a warp of a block adds before the next one's: the more, the fewer barriers.
EXACTDOT_CORE int log2_tiles_of_warp(std::size_t tiles, int threads) {
  return tiles >= static_cast<std::size_t>(threads / 32 * 16) ? 2 : 0;
}

}  // namespace exactdot::inline v0_3::cuda_engine

// Launch configurations of extreme elements of lines (line_extremum_kernel.cuh): one row per range of lengths, in
// bytes of a line. Reasoned from those of exact sums (line_tuning.hpp), with more threads resident, as registers
// allow.
#pragma once

#include <cuda/line_tuning.hpp>

namespace exactdot::cuda_engine {

/// Of lines whose elements follow each other, by packs of 16 bytes.
inline constexpr std::array extremum_line_rows = {
    line_row{32, {1, 256, 2, 4, 16}},          line_row{64, {2, 256, 2, 4, 16}},
    line_row{128, {2, 256, 4, 4, 16}},         line_row{256, {4, 256, 4, 4, 16}},
    line_row{8 * kibi, {8, 256, 4, 4, 16}},    line_row{32 * kibi, {32, 256, 4, 4, 16}},
    line_row{unlimited, {256, 256, 4, 4, 16}},
};

/// Of other lines; in flight are single elements.
inline constexpr std::array extremum_strided_rows = {
    line_row{512, {8, 256, 4, 4, 16}},
    line_row{16 * kibi, {32, 256, 4, 4, 16}},
    line_row{unlimited, {256, 256, 4, 4, 16}},
};

/// Of columns: many; fewer, of which a block reads sectors; few elements each, a thread for each column; few
/// columns.
inline constexpr std::array extremum_column_configs = {
    column_config{32, 256, 8, 4, 16}, column_config{8, 256, 8, 4, 16}, column_config{256, 256, 8, 4, 16},
    column_config{8, 1024, 8, 1, 2}};
inline constexpr std::size_t max_elements_of_thread = 64;

/// The configuration for so many columns of n elements.
constexpr std::size_t extremum_columns_for(std::size_t count, std::size_t n, int multiprocessors) {
  const auto fills = [&](std::size_t which, std::size_t blocks) {
    return count >= blocks * static_cast<std::size_t>(multiprocessors * extremum_column_configs[which].columns);
  };
  if (n <= max_elements_of_thread && fills(2, 1)) return 2;
  return fills(0, 1) ? 0 : fills(1, 3) ? 1 : 3;
}

}  // namespace exactdot::cuda_engine

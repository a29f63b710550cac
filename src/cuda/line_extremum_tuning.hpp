// Launch configurations of extreme elements of lines (line_extremum_kernel.cuh): one row per range of lengths, in
// bytes of a line. Reasoned from those of exact sums (line_tuning.hpp), with more threads resident, as registers
// allow.
#pragma once

#include <algorithm>
#include <cuda/line_tuning.hpp>
#include <cuda/split_lines.hpp>

namespace exactdot::inline v0_3::cuda_engine {

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

/// Of columns: many; fewer, of which a block reads sectors; few elements each, a thread for each column.
struct column_config {
  int columns, threads, in_flight, resident, blocks_per_multiprocessor;
};
inline constexpr std::array extremum_column_configs = {
    column_config{32, 256, 8, 4, 16}, column_config{8, 256, 8, 4, 16}, column_config{256, 256, 8, 4, 16}};
inline constexpr std::size_t max_elements_of_thread = 64;

/// The configuration for so many columns of n elements.
constexpr std::size_t extremum_columns_for(std::size_t count, std::size_t n, int multiprocessors) {
  const auto fills = [&](std::size_t which) {
    return count >= static_cast<std::size_t>(multiprocessors * extremum_column_configs[which].columns);
  };
  if (n <= max_elements_of_thread && fills(2)) return 2;
  return fills(0) ? 0 : 1;
}

/// How many blocks share each panel of columns of the second configuration, so that all of them are resident: 1 if
/// columns are many or short.
constexpr unsigned parts_of_extremum_columns(std::size_t count, std::size_t n, int multiprocessors) {
  constexpr column_config config = extremum_column_configs[1];
  constexpr std::size_t columns = config.columns, least_rows = 1024;
  const std::size_t panels = (count + columns - 1) / columns;
  if (panels > max_split_blocks) return 1;  // each has a counter
  const auto resident = static_cast<std::size_t>(multiprocessors * config.resident);
  const std::size_t most = std::min<std::size_t>(resident / panels, max_partials / (panels * columns));
  return static_cast<unsigned>(std::clamp<std::size_t>(std::min(most, n / least_rows), 1, max_split_blocks));
}

}  // namespace exactdot::inline v0_3::cuda_engine

// Rows of elements each of which is normalised, as the kernels of shape/normalised_rows.cuh read them, and the rows
// of their launch configurations.
#pragma once

#include <array>
#include <cstddef>
#include <exactdot/core/config.hpp>
#include <exactdot/element.hpp>

namespace exactdot::inline v0_3::cuda_engine {

/// A call as the kernels get it. The elements of a row follow each other, as weights and biases do; distances in
/// bytes.
struct normalised_rows {
  const char* x = nullptr;
  char* out = nullptr;
  std::ptrdiff_t next_x = 0, next_out = 0;
  const char *weight = nullptr, *bias = nullptr;  ///< null: 1 and 0
  unsigned count = 0;                             ///< of rows, < 2^31
  unsigned n = 0;                                 ///< < 2^31
  bool is_centred = false;                        ///< layer norm
  bool is_aligned = false;                        ///< everything to 16 bytes, and the ends of rows too
  element_type type = element_type::float32, parameter_type = element_type::float32;
  double epsilon = 0;
  double inverse_n = 0;        ///< 1/n, rounded
  double relative_of_sum = 0;  ///< what a plain sum of a row's squares errs by at most, as a part of it

  [[nodiscard]] EXACTDOT_CORE const char* row_of_x(unsigned i) const {
    return x + static_cast<std::ptrdiff_t>(i) * next_x;
  }
  [[nodiscard]] EXACTDOT_CORE char* row_of_out(unsigned i) const {
    return out + static_cast<std::ptrdiff_t>(i) * next_out;
  }
};

/// Which threads have a row: `lanes` of a block, `packs` 16-byte loads each at a time. A row that fits lies in
/// their registers; a longer one is read twice.
struct normalise_config {
  std::size_t max_bytes;  ///< of a row
  int lanes, threads, packs;
  int residents;                  ///< blocks of a multiprocessor, for their registers
  int blocks_per_multiprocessor;  ///< of a launch

  [[nodiscard]] constexpr std::size_t rows_of_block() const { return static_cast<std::size_t>(threads / lanes); }
};
/// 64 KB in flight in a multiprocessor, with the 64 registers that functions of normalise_again.cu have; others
/// were not timed. Times: docs/performance.md (H100, 2026-11-27). The last one is for matrices that are not
/// aligned.
inline constexpr std::array normalise_configs = {
    normalise_config{std::size_t{1} << 11, 32, 128, 4, 8, 32},
    normalise_config{std::size_t{1} << 13, 128, 128, 4, 8, 16},
    normalise_config{std::size_t{1} << 14, 256, 256, 4, 4, 8},
    normalise_config{~std::size_t{0}, 512, 512, 4, 2, 8},
    normalise_config{~std::size_t{0}, 128, 128, 2, 8, 16},
};
constexpr std::size_t normalise_config_for(std::size_t bytes_of_row, bool is_aligned) {
  std::size_t k = 0;
  if (!is_aligned) return normalise_configs.size() - 1;
  while (bytes_of_row > normalise_configs[k].max_bytes) ++k;
  return k;
}
/// Of rows of doubles, which take as much arithmetic in any configuration: a block each.
inline constexpr int normalise_threads_of_doubles = 256;

/// The bound of a plain sum of n numbers that are not negative, of packs of `width` elements, as a part of it: so
/// many roundings of at most u each, and some slack for those of the bound.
constexpr double relative_of_plain_sum(std::size_t n, const normalise_config& config, std::size_t width) {
  const std::size_t of_thread = n / static_cast<std::size_t>(config.lanes) + width * 4;
  return 0x1p-53 * (1 + 0x1p-10) * static_cast<double>(of_thread + 5 + static_cast<std::size_t>(config.lanes) / 32);
}

}  // namespace exactdot::inline v0_3::cuda_engine

// Rows of elements each of which is normalised, and their gradients, as the kernels of shape/normalised_rows.cuh
// and shape/normalised_gradient.cuh read them; and the rows of the launch configurations.
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
  element_type out_type = element_type::float32;
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

/// The gradient of a row: of k·(x − m), with x̂ = k·(x − m) rounded to float, h = g·w and k in float,
///
///   (h − x̂·along − mean)·k,  along = Σh·x̂/n,  mean = Σh/n if the row is centred, else 0
///
/// where each sum is exact and rounded to float, as each operation is; k by way of double operations from the
/// variance (or Σx²) rounded to double.
struct gradient_rows {
  normalised_rows rows;  ///< without parameters; out: x̂, floats
  const char* g = nullptr;
  char* out = nullptr;  ///< of the type of x, as g
  std::ptrdiff_t next_g = 0, next_out = 0;
  const float* weight = nullptr;  ///< null: 1
  double relative_of_sums = 0;    ///< what plain sums of h and h·x̂ err by, as a part of their magnitudes' sum

  [[nodiscard]] EXACTDOT_CORE const char* row_of_g(unsigned i) const {
    return g + static_cast<std::ptrdiff_t>(i) * next_g;
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
/// Of gradients, which hold the elements of x and g. A block has few rows, since one that stays open takes a
/// hundred times as long as others. H100, 2026-11-27: docs/experiments.md.
inline constexpr std::array gradient_configs = {
    normalise_config{std::size_t{1} << 11, 32, 128, 4, 4, 1024},
    normalise_config{std::size_t{1} << 13, 128, 128, 4, 5, 1024},
    normalise_config{std::size_t{1} << 14, 512, 512, 2, 1, 1024},
    normalise_config{~std::size_t{0}, 512, 512, 2, 1, 1024},
    normalise_config{~std::size_t{0}, 128, 128, 2, 5, 1024},
};
template <std::size_t count>
constexpr std::size_t config_for(const std::array<normalise_config, count>& configs, std::size_t bytes_of_row,
                                 bool is_aligned) {
  std::size_t k = 0;
  if (!is_aligned) return count - 1;
  while (bytes_of_row > configs[k].max_bytes) ++k;
  return k;
}
/// Of rows of doubles, which take as much arithmetic in any configuration: a block each.
inline constexpr int normalise_threads_of_doubles = 256;

/// The bound of a plain sum of n numbers that are not negative, or of others as a part of their magnitudes' sum: a
/// thread has packs of `width`, of which each adds so many roundings of at most u to a sum; then the joins of lanes
/// and warps, and some slack for the roundings of the bound.
constexpr double relative_of_plain_sum(std::size_t n, const normalise_config& config, std::size_t width,
                                       std::size_t roundings_of_pack) {
  const std::size_t of_turn = static_cast<std::size_t>(config.lanes) * width;
  const std::size_t depth =
      (n + of_turn - 1) / of_turn * roundings_of_pack + 5 + static_cast<std::size_t>(config.lanes) / 32;
  return 0x1p-53 * (1 + 0x1p-10) * static_cast<double>(depth);
}
/// Of row_statistics, which has two sums in turns.
constexpr double relative_of_statistics(std::size_t n, const normalise_config& config, std::size_t width) {
  return relative_of_plain_sum(n, config, width, width / 2 + 1);
}

}  // namespace exactdot::inline v0_3::cuda_engine

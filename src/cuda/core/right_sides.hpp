// The rows of a matrix and few vectors, the right-hand sides, each of which is multiplied with every row: as the
// kernels of shape/tile_products.cuh read them, and where the products go.
#pragma once

#include <array>
#include <cuda/core/lines.hpp>

namespace exactdot::inline v0_3::cuda_engine {

/// Of one type, in native byte order. The elements of a row follow each other. Strides in bytes.
struct rows_and_vectors {
  const char *rows = nullptr, *vectors = nullptr;
  std::ptrdiff_t next_row = 0, next_vector = 0;
  std::ptrdiff_t stride = 0;  ///< of a vector's elements
  std::size_t row_count = 0, n = 0;
  std::size_t vector_count = 0;
  element_type type = element_type::float32;

  /// Element k of vector v.
  [[nodiscard]] EXACTDOT_CORE const char* vector(std::size_t v) const {
    return vectors + static_cast<std::ptrdiff_t>(v) * next_vector;
  }
  [[nodiscard]] EXACTDOT_CORE const char* row(std::size_t i) const {
    return rows + static_cast<std::ptrdiff_t>(i) * next_row;
  }
};

/// What the launches of a call differ in. A block has some rows and the vectors of one reading; the blocks of the
/// same rows are neighbours, so that these come from memory once.
struct tile_call {
  std::size_t first_vector = 0;
  std::size_t readings = 1;  ///< of the rows, each for so many vectors as two tiles have, or one
  /// Each to 16 bytes, and its elements follow each other, as those of rows always do.
  bool rows_are_aligned = false, vectors_are_aligned = false;

  /// One for each block of rows and each reading.
  [[nodiscard]] EXACTDOT_CORE std::size_t tasks(std::size_t rows, std::size_t rows_of_block) const {
    return (rows + rows_of_block - 1) / rows_of_block * readings;
  }
};

/// How tiles of 8 rows are given to warps; see shape/tile_products.cuh.
struct tile_config {
  int row_tiles;  ///< of a warp, an even number
  int team;       ///< warps that share them
  int in_flight;  ///< 16-byte loads of each row in a turn; those of the next turn are under way meanwhile

  /// Turns after which a warp adds its sums to those in shared memory, so that an addend goes through few
  /// additions.
  [[nodiscard]] EXACTDOT_CORE std::size_t turns_of_sum(std::size_t elements_of_step) const {
    const std::size_t elements = elements_of_step * static_cast<std::size_t>(in_flight);
    return elements < 128 ? 128 / elements : 1;
  }
};
inline constexpr int tile_threads = 256, tile_residents = 2;
inline constexpr std::size_t max_right_sides = 16;  ///< of a reading: two tiles
/// By the number of vector tiles less one: of short rows, which a warp has alone, and of long ones, which a block
/// has. The fastest of seven for bfloat16 and three for float on an H100, 2026-11-27: 4 row tiles took 0.98 to 1.5
/// times as long.
inline constexpr std::array tile_configs = {
    std::array{tile_config{2, 1, 2}, tile_config{2, 8, 2}},
    std::array{tile_config{2, 1, 1}, tile_config{2, 8, 1}},
};

/// Short rows have warps of their own only where blocks of 16 rows are more than the GPU has at once: 4096 rows of
/// 16 to 512 elements times 8 vectors took 0.4 to 0.9 of that time in blocks, 32768 rows 1 to 3 times (H200,
/// 2026-11-29).
constexpr std::size_t tile_config_for(std::size_t bytes_of_row, std::size_t rows, std::size_t readings,
                                      int multiprocessors) {
  constexpr std::size_t longest = 1024, rows_of_block = 16;
  const bool are_at_once = tile_call{0, readings}.tasks(rows, rows_of_block) <=
                           tile_residents * static_cast<std::size_t>(multiprocessors);
  return bytes_of_row <= longest && !are_at_once ? 0 : 1;
}

/// The bound of a sum of n products in tiles, in units of |row|·|vector|: so many roundings of at most 2u each.
constexpr error_bound bound_of_tiles(std::size_t n, const tile_config& config, std::size_t elements_of_step) {
  constexpr double u = 0x1p-53, slack = 1 + 0x1p-20;
  const auto team = static_cast<std::size_t>(config.team);
  const std::size_t of_sum = config.turns_of_sum(elements_of_step) * elements_of_step *
                             static_cast<std::size_t>(config.in_flight),
                    additions = of_sum + n / (of_sum * team) + 2 + team;
  const bool is_bounded = additions <= std::size_t{1} << 30;
  constexpr double infinity = __builtin_huge_val();  // decides nothing
  if (!is_bounded) return {infinity, 0, infinity};
  return {2 * u * slack * static_cast<double>(additions), 0, slack};
}

/// Results of one vector are those of lines; `next_vector` bytes further begin those of the next one.
struct product_results : line_results {
  std::ptrdiff_t next_vector = 0;

  [[nodiscard]] EXACTDOT_CORE line_results of_vector(std::size_t v) const {
    line_results found = *this;
    found.first += static_cast<std::ptrdiff_t>(v) * next_vector;
    return found;
  }
};

}  // namespace exactdot::inline v0_3::cuda_engine

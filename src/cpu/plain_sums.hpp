// Sums of many vectors of floats at once, added plainly in double tile by tile (cpu/plain_columns-inl.h), and what
// bounds their errors.
#pragma once

#include <bit>
#include <cpu/bounded_sum.hpp>
#include <cpu/column_sums.hpp>
#include <cstdint>

namespace exactdot::inline v0_3::cpu_engine {

/// Per column: a sum of tiles and the sum of its rounding errors; of products the sum of their magnitudes; of other
/// terms the bits of their largest magnitude, and those of the smallest that is not 0, less 1. Whole registers are
/// loaded and stored: there is room for `padding` more columns.
struct plain_sums {
  static constexpr std::size_t padding = 16;
  static constexpr std::size_t max_rows = 16;  ///< of a tile
  static constexpr std::uint32_t no_smallest = ~std::uint32_t{0};
  double *sum, *error, *magnitude;
  std::uint32_t *largest, *smallest;
};

/// The sum of a column with its bound: of n terms, which are exact in double, in up to n tiles.
///
/// Let m be an upper bound on the sum of the terms' magnitudes. Adding a tile's r terms loses at most r·u of the
/// sum of their magnitudes, so all tiles r·u·m. Each of up to n errors of TwoSum is at most u·m, so adding these
/// plainly loses at most n·u of n·u·m; counted twice. 1/16 is for the rounding of m and of what is multiplied with
/// it. An infinite or NaN m decides nothing.
inline bounded_sum plain_column(double sum, double error, double magnitude, double n) {
  constexpr double u = unit_roundoff;
  bounded_sum column;
  column.head = sum, column.tail = error;
  column.bound = (static_cast<double>(plain_sums::max_rows) + 2 * n * u * n) * u * magnitude * 1.0625;
  return column;
}

/// Whether the sum of n floats is exact, by their largest magnitude and the smallest that is not 0, as plain_sums
/// keeps them. Every float is a multiple of the last bit of the smallest, g, which is more than 2^-24 of it; if n
/// times the largest is at most 2^53·g, so is every partial sum, and none is rounded.
inline bool is_exact_column(std::uint32_t largest, std::uint32_t smallest, double n) {
  const double magnitude = n * static_cast<double>(std::bit_cast<float>(largest));
  const double least = static_cast<double>(std::bit_cast<float>(smallest + 1));
  const bool are_zero = smallest == plain_sums::no_smallest;
  return magnitude < HUGE_VAL && (magnitude <= 0x1p28 * least || are_zero);
}

/// The sum of a column of floats with its bound.
inline bounded_sum plain_column_of_values(double sum, double error, std::uint32_t largest, std::uint32_t smallest,
                                          double n) {
  bounded_sum column = plain_column(sum, error, n * static_cast<double>(std::bit_cast<float>(largest)), n);
  if (is_exact_column(largest, smallest, n)) column.bound = 0;
  return column;
}

}  // namespace exactdot::inline v0_3::cpu_engine

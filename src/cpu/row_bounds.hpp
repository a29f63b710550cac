// Bounded sums of many rows by one vector (cpu/rows-inl.h computes them), array by array.
#pragma once

#include <cpu/sum_bounds.hpp>

namespace exactdot::inline v0_3::cpu_engine {

/// Sums whose addends are not greater than `largest`; that and the bound are infinite where nothing is known. There
/// is room for a multiple of max_group rows.
struct row_bounds : sum_bounds {
  static constexpr std::size_t max_group = padding;
  double* largest;

  [[nodiscard]] row_bounds from(std::size_t row) const { return {sum_bounds::from(row), largest + row}; }
  [[nodiscard]] bounded_sum at(std::size_t row) const {
    bounded_sum sum = sum_bounds::at(row);
    sum.largest = largest[row];
    return sum;
  }
};

}  // namespace exactdot::inline v0_3::cpu_engine

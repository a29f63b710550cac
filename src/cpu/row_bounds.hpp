// Bounded sums of many rows by one vector (cpu/rows-inl.h computes them), array by array.
#pragma once

#include <cpu/bounded_sum.hpp>

namespace exactdot::inline v0_3::cpu_engine {

/// Per row |head + tail - sum| <= bound, and no addend is greater than `largest`; an infinite bound where nothing
/// is known. Whole registers are loaded and stored: there is room for a multiple of max_group rows.
struct row_bounds {
  static constexpr std::size_t max_group = 8;
  double *head, *tail, *bound, *largest;

  [[nodiscard]] row_bounds from(std::size_t row) const {
    return {head + row, tail + row, bound + row, largest + row};
  }
  [[nodiscard]] bounded_sum at(std::size_t row) const {
    return {.head = head[row], .tail = tail[row], .bound = bound[row], .largest = largest[row]};
  }
};

}  // namespace exactdot::inline v0_3::cpu_engine

// Compensated sums of many vectors at once, and what bounds their errors; cpu/columns-inl.h and cpu/groups-inl.h
// compute them.
#pragma once

#include <cmath>
#include <cpu/bounded_sum.hpp>
#include <cstdint>
#include <cstring>

namespace exactdot::inline v0_3::cpu_engine {

/// Rows of carriers in memory.
struct row_block {
  const void* data = nullptr;
  std::ptrdiff_t step = 0;   ///< bytes between rows
  bool is_repeated = false;  ///< a row is one element, which belongs to all columns

  template <class T>
  [[nodiscard]] const T* row(std::size_t i) const {
    return reinterpret_cast<const T*>(static_cast<const char*>(data) + static_cast<std::ptrdiff_t>(i) * step);
  }
  /// The element of a repeated row, at any address.
  template <class T>
  [[nodiscard]] T element(std::size_t i) const {
    T value;
    std::memcpy(&value, static_cast<const char*>(data) + static_cast<std::ptrdiff_t>(i) * step, sizeof value);
    return value;
  }
};

/// Per column: a sum of terms, the sum of its rounding errors, the sum of their magnitudes, the smallest magnitude
/// of a term that is not 0; of products of doubles 0 if one is not a double itself, or is 0. Whole registers are
/// loaded and stored: there is room for a multiple of `padding` columns.
struct column_sums {
  static constexpr std::size_t padding = 8;
  static constexpr int arrays = 4;
  double *sum, *error, *magnitude, *smallest;
};

/// The sums of a group: those of a column, next to each other, because the next element's group may be any.
struct alignas(32) group_sums {
  double sum = 0, error = 0, magnitude = 0, smallest = HUGE_VAL;
};

/// The sums of the terms of both. An error passes through two more additions.
inline group_sums merged(const group_sums& x, const group_sums& y) {
  const auto [sum, lost] = core::two_sum(x.sum, y.sum);
  return {sum, x.error + y.error + lost, x.magnitude + y.magnitude + std::abs(lost),
          y.smallest < x.smallest ? y.smallest : x.smallest};
}

/// The sum of a column of n terms with its bound. Of sums that were merged, n plus two for each of these.
///
/// Adding n errors plainly loses at most n·u of the sum m of their magnitudes, and as much again where an error is
/// itself a rounded sum of two; counted twice over, with 1/16 for the rounding of m. Nothing is lost if m is less
/// than the smallest term t, for terms that are doubles: all numbers are then multiples of t's last bit, and the
/// errors' sums, which stay below 2^53 of these, are exact. A product of doubles has more bits, and if its own
/// error underflows loses 2^-1074; where all products are doubles themselves, such as those by 1, and none is so
/// small that its error would underflow, they are terms like others.
inline bounded_sum bounded_column(double sum, double error, double magnitude, double smallest, std::size_t n,
                                  bool has_two_part_terms) {
  const double terms = static_cast<double>(n) + 2;
  bounded_sum column;
  column.head = sum, column.tail = error;
  column.bound = 2 * terms * unit_roundoff * magnitude * 1.0625;
  if (has_two_part_terms) column.bound += terms * 0x1p-1073;
  if (magnitude < smallest && (!has_two_part_terms || smallest > 0x1p-900)) column.bound = 0;
  return column;
}

}  // namespace exactdot::inline v0_3::cpu_engine

// Matrices for the kernels that sum many rows or columns at once, and how far an exact sum is from a bounded one.
#pragma once

#include <cmath>
#include <cpu/bounded_sum.hpp>
#include <vector>

#include "oracle/integer_sum.hpp"

namespace exactdot {

/// A matrix, row by row, and another one, or a vector in its first row.
template <class T>
struct matrices {
  std::size_t rows, columns;
  std::vector<T> a = std::vector<T>(rows * columns), b = a;
};

/// |sum - head - tail|, rounded; an upper bound where it underflows.
inline double error_of(oracle::integer_sum sum, const cpu_engine::bounded_sum& found) {
  sum.add(-found.head, 1.0), sum.add(-found.tail, 1.0);
  const double error = std::abs(sum.round<double>());
  return error == 0 && sum.units() != 0 ? 0x1p-1074 : error;
}

}  // namespace exactdot

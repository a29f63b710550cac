// A matrix that lies row after row, for the rungs of workload rows; the last row may be shorter.
#pragma once

#include <lab/block_combine.cuh>

namespace exactdot::lab {
namespace {

template <class T>
struct matrix {
  const T* a;
  std::size_t n, row_length, rows;

  [[nodiscard]] __device__ std::size_t first(std::size_t row) const { return row * row_length; }
  [[nodiscard]] __device__ std::size_t end(std::size_t row) const {
    const std::size_t next = (row + 1) * row_length;
    return next < n ? next : n;
  }
};

template <class T>
matrix<T> matrix_of(const input<T>& in) {
  return {in.a, in.n, in.parts.row_length, in.results};
}

/// Blocks that share a row, if there are more blocks than rows.
constexpr unsigned blocks_of_row(std::size_t grid, std::size_t rows) {
  return grid <= rows || rows == 0 ? 1 : static_cast<unsigned>(grid / rows);
}
constexpr std::uint64_t blocks_of_row(const launch_config& config) {
  return blocks_of_row(config.grid, rows_of(config.n, config.parts));
}

}  // namespace
}  // namespace exactdot::lab

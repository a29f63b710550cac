// Rows by keys on a GPU: what a call consists of that adds the rows of a matrix by their keys, column by column,
// for the kernels (shape/row_groups.cuh, group/row_keys.cuh) and for the host code that launches them.
//
// The keys are sorted once, with the rows' numbers, so that a group is a stretch of a list of rows; neighbouring
// threads then have neighbouring columns of a row, which is read as it lies. A long group is cut into pieces, which
// blocks share. Memory beside that: 16 bytes a row for sorting, 4 bytes a group, and for long groups
// at most 1/16 of rows of 16 bits.
#pragma once

#include <algorithm>
#include <cuda/core/element_axes.hpp>
#include <cuda/core/split_lines.hpp>
#include <cuda/group/call.hpp>

namespace exactdot::inline v0_3::cuda_engine {

inline constexpr int row_group_threads = 256;  ///< of a block

/// Rows of a group that a thread adds alone, at most; others are long.
inline constexpr unsigned max_short_rows = 128;
/// Rows of a piece of a long group, at least, if it has several; and so many of each thread.
inline constexpr unsigned min_rows_of_piece = 1024, min_rows_of_piece_thread = 16;

/// Neighbouring columns of a thread: as many as 16 bytes hold, and registers.
EXACTDOT_CORE int columns_of_row_thread(std::size_t element_bytes) {
  return element_bytes <= 2 ? 8 : static_cast<int>(16 / element_bytes);
}

/// Whether rows of such elements have kernels of variances: not of 8-bit floats, to keep the build small. Columns of
/// other elements are groups one by one.
constexpr bool has_kernel_of_row_moments(element_type type) { return !is_integer(type) && size_of(type) != 1; }
/// The same of a term: of integers of sums only. A second input is one weight for each row.
constexpr bool has_kernel_of_rows(element_type type, const core::term_info& term) {
  const bool is_plain = term.factors == 1 && !term.absolute;
  return is_integer(type) ? is_plain : has_kernel_of_row_moments(type);
}

/// A piece of a long group: rows `begin` to end - 1 of the sorted list.
struct row_piece {
  unsigned group, begin, end;
  unsigned pieces;      ///< of the group
  unsigned first_slot;  ///< of the places of its pieces' sums, if it has several
  unsigned slot;
};

/// What only the data tell. Zero at first.
struct row_status {
  group_status of_keys;
  unsigned pieces;  ///< in the list
  unsigned slots;   ///< taken by groups of several pieces
  unsigned open;    ///< results of long groups that their bounds leave open
};

/// Device memory of a call.
struct row_memory {
  row_status* status = nullptr;
  unsigned* arrived = nullptr;  ///< pieces of a group and tile of columns whose sums are stored
  unsigned* keys[2] = {};       ///< as they are passed, and scratch for the sort, which may swap them
  unsigned* rows[2] = {};
  unsigned* first = nullptr;  ///< row of each group in the sorted list, and their number
  row_piece* pieces = nullptr;
  wide_unsigned* open = nullptr;    ///< group · columns + column
  stored_trace* partial = nullptr;  ///< of a slot, column and sum of the work
  void* of_sort = nullptr;
};

/// The matrix, whose columns follow each other, and its rows by groups. `axes.list`: the sorted rows.
struct row_groups {
  const char* data = nullptr;
  std::ptrdiff_t row_stride = 0;  ///< in bytes
  element_type type = element_type::float32;
  any_operand weights;  ///< of products: one for each row, floats in native byte order
  int log2_parts = 0;   ///< of the addends that an element makes
  unsigned groups = 0, columns = 0;
  unsigned max_pieces = 1, min_rows_of_piece = cuda_engine::min_rows_of_piece;  ///< of a long group
  unsigned lanes = 1;       ///< threads that have the columns of a short group
  fixed_divisor by_lanes;   ///< unless there is one
  unsigned lanes_of_tile = 1, tiles = 1;  ///< of a piece: a power of two, at most 32
  element_axes axes;
  row_memory to;
};

/// Where the results go.
struct row_results {
  char* first = nullptr;
  std::ptrdiff_t next_group = 0, next_column = 0;  ///< in bytes
  core::result_rule rule = {};
  unsigned* status = nullptr;      ///< becomes 1 if an integer type does not hold a result
  bool only_if_all_right = false;  ///< nothing is written if a key is out of range
  bool adds = false;               ///< to what is there: addend.cuh
  int packed_bytes = 0;            ///< of a result, if those of a group follow each other
};

/// How large the parts of the memory are.
struct row_sizes {
  std::size_t n = 0, groups = 0, columns = 0;
  std::size_t tiles = 1;
  int sums = 1;                   ///< of the work
  std::size_t bytes_of_sort = 0;  ///< scratch

  /// A long group of one piece has more than max_short_rows; one of several, more rows than that piece may have.
  [[nodiscard]] std::size_t long_groups() const { return n / max_short_rows; }
  [[nodiscard]] std::size_t slots() const { return n / (min_rows_of_piece / 2); }
  [[nodiscard]] std::size_t pieces() const { return long_groups() + slots(); }
};

/// Divides memory, aligned to 128 bytes, of which the first `cleared` bytes have to be cleared; returns how many
/// bytes that takes. `memory` may be null, to ask for that.
inline std::size_t place_rows(const row_sizes& sizes, void* memory, row_memory& to, std::size_t& cleared) {
  auto* const first = static_cast<unsigned char*>(memory);
  std::size_t used = 0;
  const auto take = [&]<class T>(T*& at, std::size_t count) {
    at = first == nullptr ? nullptr : reinterpret_cast<T*>(first + used);
    used += rounded_up(count * sizeof(T));
  };
  take(to.status, 1);
  take(to.arrived, sizes.slots() * sizes.tiles);
  cleared = used;
  for (int i = 0; i < 2; ++i) take(to.keys[i], sizes.n), take(to.rows[i], sizes.n);
  take(to.first, sizes.groups + 1);
  take(to.pieces, sizes.pieces());
  take(to.open, sizes.long_groups() * sizes.columns);
  take(to.partial, sizes.slots() * sizes.columns * static_cast<std::size_t>(sizes.sums));
  unsigned char* of_sort = nullptr;
  take(of_sort, sizes.bytes_of_sort);
  to.of_sort = of_sort;
  return used;
}

}  // namespace exactdot::inline v0_3::cuda_engine

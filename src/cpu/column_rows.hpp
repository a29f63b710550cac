// Several columns of groups that lie beside each other in memory: which do, the order of their rows, and rows read
// column by column.
#pragma once

#include <cpu/batch_parts.hpp>
#include <cpu/column_sums.hpp>
#include <memory>
#include <vector>

namespace exactdot::inline v0_3::cpu_engine {

/// The bytes of the elements that a column has.
[[nodiscard]] inline std::size_t input_bytes(const batch& of) {
  const std::size_t pair = size_of(of.each.a.type) + (of.each.info().inputs == 2 ? size_of(of.each.b.type) : 0);
  return of.column_length() * pair;
}

/// Columns that are read at a time.
inline constexpr std::size_t columns_of_block = 16;
/// Rows that are read at a time.
inline constexpr std::size_t rows_of_slice = 256;
/// Entries of a column's table, and how many of them a group has that neighbouring rows use in turn.
inline constexpr std::size_t entries_of_column = 512, entries_of_long_group = 8;

/// Whether columns lie farther from each other than rows.
[[nodiscard]] bool lie_apart(const batch& of);
/// Whether a pass over the rows adds the columns' sums (row_pass.hpp): those of level 1, and of 64-bit integers.
[[nodiscard]] bool sums_rows(const batch& of);
/// Whether, moreover, groups are so few that each thread has the sums of all.
[[nodiscard]] bool shares_rows(const batch& of);
/// Whether several columns are computed at once: their sums, or what lies nearer to each other than rows do; and
/// groups are such that threads share them out.
[[nodiscard]] bool takes_rows(const batch& of);
/// The columns whose sums fill registers that hold those of `count`.
[[nodiscard]] constexpr std::size_t padded_width(std::size_t count) {
  constexpr std::size_t lanes = column_sums::padding;
  return (count + lanes - 1) / lanes * lanes;
}
/// Entries of a group of such columns.
[[nodiscard]] inline std::size_t entries_of_group(const batch& of) {
  return of.elements / of.count < entries_of_long_group ? 1 : entries_of_long_group;
}

/// The rows of all groups, group by group. There is no list of keys that never decrease, which are in order, nor
/// where threads share the rows.
struct row_order {
  std::vector<std::uint64_t> ends;  ///< of the groups
  std::vector<std::uint32_t> rows;

  explicit row_order(const batch& of);
};

/// bounds[i] = where group first + i begins in the order of rows, for i up to count: copies that never decrease and
/// do not pass the end, whatever becomes of offsets or keys.
void read_bounds(const batch& of, const row_order& order, std::size_t first, std::size_t count,
                 std::uint64_t* bounds) noexcept;

/// One thread's reader of an input of such columns.
class column_rows {
 public:
  /// target: the type that elements are converted to.
  column_rows(const engine::operand& x, element_type target);

  /// Reads rows of columns that begin at `columns`: those that are listed, or n from `first` on.
  void read(std::span<const char* const> columns, const std::uint32_t* listed, std::size_t first, std::size_t n);
  /// The elements of a column, converted. Valid until the next call.
  [[nodiscard]] const void* column(std::size_t index) noexcept;

 private:
  [[nodiscard]] std::byte* raw(std::size_t index) noexcept { return memory_.get() + index * pitch_; }

  engine::operand x_;  ///< a column as it was read
  engine::element_copy copy_;
  element_type target_;
  std::ptrdiff_t stride_;
  std::size_t pitch_, n_ = 0;
  std::unique_ptr<std::byte[]> memory_;  ///< of the columns, and of one that is converted
};

}  // namespace exactdot::inline v0_3::cpu_engine

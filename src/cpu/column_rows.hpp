// Several columns of groups that lie beside each other in memory: which do, the order of their rows, and rows read
// column by column.
#pragma once

#include <cpu/batch_parts.hpp>
#include <memory>
#include <vector>

namespace exactdot::inline v0_3::cpu_engine {

/// Columns that are read at a time.
inline constexpr std::size_t columns_of_block = 16;
/// Rows that are read at a time.
inline constexpr std::size_t rows_of_slice = 256;
/// Entries of a column's table, and how many of them a group has that neighbouring rows use in turn.
inline constexpr std::size_t entries_of_column = 512, entries_of_long_group = 8;

/// Whether columns lie nearer to each other than rows, and groups are such that threads share them out.
[[nodiscard]] bool takes_rows(const batch& of);
/// Entries of a group of such columns.
[[nodiscard]] inline std::size_t entries_of_group(const batch& of) {
  return of.elements / of.count < entries_of_long_group ? 1 : entries_of_long_group;
}

/// The rows of all groups, group by group. Of keys that never decrease there is no list: they are in order.
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
  element_type target_;
  std::ptrdiff_t stride_;
  std::size_t pitch_, n_ = 0;
  std::unique_ptr<std::byte[]> memory_;  ///< of the columns, and of one that is converted
};

}  // namespace exactdot::inline v0_3::cpu_engine

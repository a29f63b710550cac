// Least or greatest elements of groups that lie anywhere: a pass (group_pass.hpp) into tables of keys, one for each
// group: the ordered key of the least element so far (exactdot/core/extremum.hpp), so NaN and the signs of zeros
// count as in vector calls.
//
// Memory: the size of an element for each group in each table. Cost: 1 to 2 ns an element, where the table exceeds
// the caches a cache miss.
#pragma once

#include <cpu/group_pass.hpp>

namespace exactdot::inline v0_3::cpu_engine {

class group_extrema {
 public:
  explicit group_extrema(const batch& of);

  [[nodiscard]] static bool suits(const batch& of) { return !of.is_grid() && of.each.info().is_extremum; }

  /// Gives the results of a column, whose groups all have elements, to the sink. What it does is unspecified once
  /// the batch's monitor cancels.
  void reduce(std::size_t column, result_sink& sink, std::span<unsigned char> open);
  /// The same of `count` columns from `first` on that lie beside each other, column by column.
  bool reduce_rows(std::size_t first, std::size_t count, const row_order& order, result_sink& sink,
                   std::span<unsigned char> open);

 private:
  struct tables;

  const batch& of_;
  engine::plan column_;  ///< of all elements of a column, on one thread, without a monitor
  group_tables_shape shape_;
  std::vector<std::uint64_t> memory_;
  std::size_t words_of_table_;  ///< of 8 bytes
};

}  // namespace exactdot::inline v0_3::cpu_engine

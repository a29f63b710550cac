// Exact sums of 64-bit integers by groups that lie anywhere: a pass (group_pass.hpp) into tables of integers, of
// 128 bits for sums, of 192 for sums of products.
//
// 2^63 integers below 2^64 in magnitude add up to less than 2^127, products of two to less than 2^191. Memory: 16
// bytes a group in each table, of products 32, of variances 48. Cost: some ns an element, where the table exceeds
// the caches a cache miss. No floating-point operation, so any environment will do.
#pragma once

#include <cpu/group_pass.hpp>
#include <cpu/integer_sums.hpp>

namespace exactdot::inline v0_3::cpu_engine {

class group_integers {
 public:
  explicit group_integers(const batch& of);

  /// Whether the elements of one input at least are such integers, of a sum.
  [[nodiscard]] static bool suits(const batch& of) { return !of.is_grid() && of.each.has_parts(); }

  /// Gives the results, or the states, of a column to the sink; no group stays open. What it does is unspecified
  /// once the batch's monitor cancels.
  void reduce(std::size_t column, result_sink& sink, std::span<unsigned char> open);
  /// The same of `count` columns from `first` on that lie beside each other, column by column.
  bool reduce_rows(std::size_t first, std::size_t count, const row_order& order, result_sink& sink,
                   std::span<unsigned char> open);

 private:
  struct tables;
  /// A sum of integers, of two's complement.
  struct narrow_sum {
    core::uint128 low = 0;
  };

  const batch& of_;
  engine::plan column_;
  std::uint64_t of_nothing_ = 0;  ///< the result of a group without elements
  group_tables_shape shape_;
  std::vector<narrow_sum> sums_;
  std::vector<wide_integer> products_;
};

}  // namespace exactdot::inline v0_3::cpu_engine

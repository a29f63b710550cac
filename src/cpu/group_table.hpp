// Level 1 of mode exact for groups whose elements lie anywhere: a pass (group_pass.hpp) adds each element to its
// group's compensated sum, with the bound of cpu/column_sums.hpp.
//
// What variances of equal elements leave open takes one more pass, which compares these (cpu/equal_elements.hpp).
// Memory: 32 bytes a group and sum in each table, 16 a group for that pass. Cost: 2 to 4 ns an element,
// where the table exceeds the caches that of a cache miss.
#pragma once

#include <cpu/addend.hpp>
#include <cpu/group_pass.hpp>
#include <cpu/sums.hpp>

namespace exactdot::inline v0_3::cpu_engine {

class group_table {
 public:
  explicit group_table(const batch& of);

  /// Whether level 1 may decide results of the batch.
  [[nodiscard]] static bool suits(const batch& of);

  /// Gives the results of a column to the sink, but for those that stay open: open[i] = whether group i does. What
  /// it does is unspecified once the batch's monitor cancels.
  void reduce(std::size_t column, result_sink& sink, std::span<unsigned char> open);

  /// The sum of a group with its bound, of all threads' tables: for tests. index: 1 for the sum of squares.
  [[nodiscard]] bounded_sum sum_of(std::size_t group, int index = 0) const noexcept {
    return sum_of({group * shape_.copies, 0, shape_.threads}, of_.group_sizes[group], index);
  }

 private:
  struct tables;

  [[nodiscard]] std::size_t table(std::size_t thread, int index) const noexcept {
    return (thread * static_cast<std::size_t>(sums_.states()) + static_cast<std::size_t>(index)) * shape_.width;
  }
  [[nodiscard]] bounded_sum sum_of(const group_entries& entries, std::size_t n, int index,
                                   const addend* more = nullptr) const noexcept;
  [[nodiscard]] bool are_many_open(std::span<const unsigned char> open) const noexcept;
  void take_equal(tables& made, std::span<unsigned char> open) const;
  [[nodiscard]] core::decision decide(const group_entries& entries, std::size_t n,
                                      const addend* more) const noexcept;

  const batch& of_;
  engine::plan column_;  ///< of all elements of a column, on one thread, without a monitor
  sums sums_;
  group_tables_shape shape_;
  bool rounds_to_double_;  ///< whether results are sums, rounded so
  std::uint64_t of_nothing_;
  std::vector<group_sums> entries_;
};

}  // namespace exactdot::inline v0_3::cpu_engine

// Level 1 of mode exact for several columns of groups: a row's columns are the lanes of registers
// (cpu/columns-inl.h), and a pass (row_pass.hpp) adds the rows of a group to its sums.
//
// Memory of a group: 32 bytes a column and sum, of columns as many as fill registers. Cost: about 5 ns for a row of
// 8 doubles, and 1 to 2 ns for the decision of a result.
#pragma once

#include <cpu/row_pass.hpp>
#include <cpu/sums.hpp>
#include <memory>

namespace exactdot::inline v0_3::cpu_engine {

/// What row_pass.hpp needs.
class row_sums {
 public:
  row_sums(const batch& of, std::size_t first, std::size_t count, std::size_t entries, result_sink& sink,
           unsigned char* open);

  static element_type target(const engine::plan& each, const engine::operand&) { return each.carrier; }
  [[nodiscard]] std::size_t width() const noexcept { return count_; }
  void clear(std::size_t entries) noexcept;
  void add(const row_block& a, const row_block& b, std::size_t rows, const std::uint32_t* entries) noexcept;
  void add_run(const row_block& a, const row_block& b, std::size_t rows, std::size_t entry) noexcept;
  void merge(row_sums& other, std::size_t entry) noexcept;
  bool decide(std::size_t entry, std::size_t merged, std::size_t n, std::size_t group) const noexcept;

 private:
  [[nodiscard]] column_sums sums_at(int state, std::size_t entry) const noexcept;
  [[nodiscard]] bounded_sum sum_of(int state, std::size_t entry, std::size_t column,
                                   std::size_t terms) const noexcept;
  void decide_each(std::size_t entry, std::size_t terms, std::size_t n, core::decision* found) const noexcept;
  void decide_added(std::size_t entry, std::size_t terms, std::size_t n, std::size_t group,
                    core::decision* found) const noexcept;
  bool give(std::size_t group, const core::decision* found) const noexcept;

  const batch& of_;
  const engine::plan& column_;
  sums sums_;
  result_sink& sink_;
  unsigned char* open_;
  std::size_t groups_, first_, count_;
  std::size_t width_, step_;  ///< doubles of an array, and of an entry
  std::unique_ptr<double[]> memory_;
  std::vector<char*> places_;  ///< of the columns' first results
  std::uint64_t of_nothing_ = 0;
};

}  // namespace exactdot::inline v0_3::cpu_engine

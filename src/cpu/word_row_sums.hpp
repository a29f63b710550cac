// Exact sums of 64-bit integers for columns of groups, by a pass over their rows (row_pass.hpp).
//
// Memory of a group: 16 bytes a column, of columns as many as fill registers. Cost: about 3 ns for a row of 8
// integers, and 1 to 2 ns for a result. No floating-point operation, so any environment will do.
#pragma once

#include <cpu/kernels.hpp>
#include <cpu/row_pass.hpp>
#include <memory>

namespace exactdot::inline v0_3::cpu_engine {

/// What row_pass.hpp needs.
class word_row_sums {
 public:
  word_row_sums(const batch& of, std::size_t first, std::size_t count, std::size_t entries, result_sink& sink,
                unsigned char*);

  static element_type target(const engine::plan&, const engine::operand& x) { return x.type; }
  [[nodiscard]] std::size_t width() const noexcept { return count_; }
  void clear(std::size_t entries) noexcept { std::fill_n(memory_.get(), entries * step_, 0); }
  void add(const row_block& a, const row_block&, std::size_t rows, const std::uint32_t* entries) noexcept {
    add_rows_(a, rows, count_, flip_, entries, sums_at(0), step_);
  }
  void add_run(const row_block& a, const row_block&, std::size_t rows, std::size_t entry) noexcept {
    add_rows_(a, rows, count_, flip_, nullptr, sums_at(entry), step_);
  }
  /// Adds n elements of a column, which follow each other in native byte order.
  void add_column(std::size_t column, const char* x, std::size_t n, std::size_t entry) noexcept;
  void merge(word_row_sums& other, std::size_t entry) noexcept;
  bool decide(std::size_t entry, std::size_t merged, std::size_t n, std::size_t group) const noexcept;

 private:
  /// A sum: high · 2^32 + low, low < 2^32; high has a sign if the words have.
  struct sum {
    std::uint64_t high, low;
  };
  [[nodiscard]] sum sum_at(const word_sums& from, std::size_t column, std::size_t n) const noexcept;
  [[nodiscard]] core::outcome result_of(const sum& x, std::size_t n) const noexcept;
  [[nodiscard]] core::outcome added(const sum& x, std::size_t n, const char* to) const noexcept;
  [[nodiscard]] word_sums sums_at(std::size_t entry) const noexcept {
    std::uint64_t* const at = memory_.get() + entry * step_;
    return {at, at + width_};
  }

  const batch& of_;
  const engine::plan& column_;
  result_sink& sink_;
  word_row_kernel add_rows_;
  word_run_kernel sum_words_;
  std::uint64_t flip_;
  std::size_t first_, count_;
  std::size_t width_, step_;  ///< words of an array, and of an entry
  std::size_t groups_;
  std::unique_ptr<std::uint64_t[]> memory_;
  std::vector<char*> places_;  ///< of the columns' first results
  std::uint64_t of_nothing_ = 0;
};

}  // namespace exactdot::inline v0_3::cpu_engine

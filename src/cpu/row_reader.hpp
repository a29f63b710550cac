// Rows of a block of columns as kernels read them: in place, or copied side by side, and converted.
#pragma once

#include <cpu/column_sums.hpp>
#include <memory>
#include <plan/plan.hpp>
#include <vector>

namespace exactdot::inline v0_3::cpu_engine {

/// One thread's reader of one input.
class row_reader {
 public:
  /// Columns of operands like x that begin at `columns`; target: the type that elements are converted to. If they
  /// may be repeated and all are one vector, such as weights of rows, a row is one element.
  row_reader(const engine::operand& x, element_type target, std::vector<const char*> columns, bool may_be_repeated);

  /// Those that are listed, or n from `first` on; n <= rows_of_slice. Valid until the next call.
  [[nodiscard]] row_block read(const std::uint32_t* listed, std::size_t first, std::size_t n) noexcept;

 private:
  void copy(const std::uint32_t* listed, std::size_t first, std::size_t n) noexcept;
  void copy_rows(const std::uint32_t* listed, std::size_t first, std::size_t n) noexcept;
  template <class Word>
  void copy_columns(const std::uint32_t* listed, std::size_t first, std::size_t n) noexcept;

  engine::operand x_;
  engine::element_copy copy_;  // of elements side by side
  element_type target_;
  std::vector<const char*> columns_;
  std::size_t size_;
  bool is_repeated_, is_packed_ = true, is_target_;
  std::unique_ptr<std::byte[]> raw_, converted_;
};

}  // namespace exactdot::inline v0_3::cpu_engine

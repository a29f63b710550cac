// Level 1 of mode exact for many vectors at once, each in a lane of its own: the columns of a matrix, read row by
// row in place, and rows so short that a call for each would cost more than their elements.
//
// Vectors whose sums the bound leaves open are for the reducers of lines and of transposed panels.
#pragma once

#include <algorithm>
#include <cpu/column_sums.hpp>
#include <cpu/plain_sums.hpp>
#include <cpu/sum_bounds.hpp>
#include <cpu/sums.hpp>
#include <memory>
#include <plan/batch.hpp>
#include <plan/staging.hpp>
#include <span>
#include <vector>

namespace exactdot::inline v0_3::cpu_engine {

/// The elements of an input, element by element for all vectors of a panel.
class panel_rows {
 public:
  /// Panels of up to `width` vectors, `step` bytes apart.
  panel_rows(const engine::plan& plan, const engine::operand& x, std::ptrdiff_t step, std::size_t width);

  void move_to(const void* data, std::size_t width) noexcept;
  /// How many elements from `first` on follow each other at one step, up to count.
  [[nodiscard]] std::size_t run_at(std::size_t first, std::size_t count) const noexcept {
    return x_.outer.empty() || !in_place_ ? count : std::min(count, x_.inner - first % x_.inner);
  }
  /// Elements first to first + count of all vectors; at most max_rows, and a run of them.
  [[nodiscard]] row_block read(std::size_t first, std::size_t count) noexcept;
  /// Whether all elements read since move_to were doubles: not so of large 64-bit integers, in whose place others
  /// were read.
  [[nodiscard]] bool are_doubles() const noexcept { return are_doubles_; }

  static constexpr std::size_t max_rows = plain_sums::max_rows;
  /// How many to read at a time.
  [[nodiscard]] std::size_t rows_at_a_time() const noexcept;
  /// Whether the rows of panels of this width follow each other without a gap.
  [[nodiscard]] bool are_consecutive(std::size_t width) const noexcept {
    return in_place_ && !is_repeated_ && x_.outer.empty() &&
           x_.stride == static_cast<std::ptrdiff_t>(width * size_of(target_));
  }

 private:
  engine::operand x_;
  engine::element_copy copy_;  // of a row
  void read_transposed(std::size_t first, std::size_t count) noexcept;
  [[nodiscard]] const char* converted(const char* from, std::size_t n, std::byte* to) noexcept;

  element_type target_;
  std::ptrdiff_t step_;
  bool is_repeated_, in_place_;
  bool converts_words_, are_doubles_ = true;
  engine::widening widen_;  // of elements to the target; null if they are of its type
  bool transposes_;         // vectors whose elements follow each other
  std::size_t width_ = 0, row_bytes_;
  std::unique_ptr<std::byte[]> buffer_, rows_;
};

class panel_sums {
 public:
  /// The panels lie along the last result axis of the batch. Sums of floats are plain ones (cpu/plain_sums.hpp),
  /// which take less time than compensated ones and decide less.
  explicit panel_sums(const engine::batch& of) : panel_sums(of, true, width_of(of)) {}
  /// For panels of up to `width` vectors. is_plain: of floats.
  panel_sums(const engine::batch& of, bool is_plain, std::size_t width);

  /// Whether level 1 may decide the results of the batch, and reads its elements this way.
  [[nodiscard]] static bool suits(const engine::batch& of);
  /// Whether all elements since start() were doubles. If not, all results of the panel are open.
  [[nodiscard]] bool are_doubles() const noexcept { return a_.are_doubles(); }
  /// Whether the sums are plain ones, so that compensated ones may decide more.
  [[nodiscard]] bool is_plain() const noexcept { return is_plain_; }
  static constexpr std::size_t widest = 1024;
  /// Up to this length a row costs more to call for than to add.
  static constexpr std::size_t short_row = 48;
  /// Vectors of a panel.
  [[nodiscard]] static std::size_t width_of(const engine::batch& of);

  /// Begins the panel of `width` vectors whose first one is `first`.
  void start(const engine::line& first, std::size_t width) noexcept;
  /// Adds elements first to first + count of each vector.
  void add(std::size_t first, std::size_t count) noexcept;
  /// Stores the results of all vectors one after the other, after every element was added to one of the parts. True
  /// if some are open: then is_open, which is all false before, tells which, and what is stored for these is
  /// unspecified.
  static bool finish(std::span<panel_sums> parts, char* to, bool* is_open) noexcept;

 private:
  /// Sums of one kind or the other of the terms (index 0) or the squares (1), in cache lines of their own.
  struct alignas(64) cache_line {
    std::byte bytes[64];
  };

  [[nodiscard]] double* array(int index, int which) noexcept {
    const auto lines =
        static_cast<std::size_t>(index * arrays + which) * (width_ * sizeof(double) / sizeof(cache_line));
    return reinterpret_cast<double*>(memory_.data() + lines);
  }
  [[nodiscard]] column_sums sums_at(int index) noexcept;
  [[nodiscard]] plain_sums plain_sums_at(int index) noexcept;
  [[nodiscard]] std::size_t folds_of(const engine::batch& of, std::size_t width) const;
  void add_unfolded(std::size_t first, std::size_t count) noexcept;
  void add_folded(std::size_t first, std::size_t count) noexcept;
  [[nodiscard]] bounded_sum plain_column_at(int index, std::size_t i) noexcept;
  [[nodiscard]] bounded_sum compensated_column_at(int index, std::size_t i) noexcept;
  [[nodiscard]] bool are_products(int index) const noexcept { return index == 1 || each_.multiplies(); }
  [[nodiscard]] bounded_sum column(int index, std::size_t i) noexcept;
  void clear(int index) noexcept;
  void clear_new() noexcept;
  void add_rows(const row_block& a, const row_block& b, std::size_t rows, std::size_t width) noexcept;
  [[nodiscard]] sum_bounds bounds_of(int index, std::size_t first, std::size_t count,
                                     const sum_bounds& room) noexcept;
  [[nodiscard]] static sum_bounds joined_bounds(std::span<panel_sums> parts, int index, std::size_t first,
                                                std::size_t count, const sum_bounds& room) noexcept;
  void take_equal(char* to, bool* is_open) noexcept;
  [[nodiscard]] static core::decision decide(std::span<panel_sums> parts, std::size_t i) noexcept;

  static constexpr int arrays = 4;  ///< of a kind of sums

  engine::plan each_;
  sums of_;
  bool is_plain_;
  panel_rows a_, b_;
  std::size_t folds_;  ///< so many narrow rows are added as one: a column has as many sums
  std::size_t width_, panel_width_ = 0;
  std::size_t added_ = 0;  ///< elements of each vector
  bool is_new_ = true;     ///< the sums are not cleared: the first rows begin them
  std::vector<cache_line> memory_;
};

}  // namespace exactdot::inline v0_3::cpu_engine

// One thread's reducer of panels: some columns of a matrix at a time, so that each cache line is read once.
//
// A panel's rows are copied, transposed, into a buffer that fits the cache, a chunk of them at a time; each
// column's chunk is added to the partial result of that column. Columns that level 1 leaves open are read again,
// together, into exact states. A column has the bits of the same vector alone: its chunks are whole tiles of order
// v1, and nothing else depends on them. Neither allocates nor throws after it has been made.
#pragma once

#include <cpu/partial_result.hpp>
#include <plan/batch.hpp>
#include <plan/staging.hpp>

namespace exactdot::inline v0_3::cpu_engine {

/// The columns of a panel as contiguous vectors, a chunk at a time.
class panel_reader {
 public:
  /// For panels of up to `columns` columns, `step` bytes apart: 0 repeats one.
  panel_reader(const engine::plan& plan, const engine::operand& x, std::ptrdiff_t step, std::size_t columns);

  /// Goes on with the panel whose first column begins at `data`.
  void move_to(const void* data, std::size_t columns) noexcept;
  void read(std::size_t first, std::size_t n, int part) noexcept;
  /// Sets equal[i] to false if not all n elements of column i have the bits of its first. Not of a repeated vector.
  void keep_equal(std::size_t n, bool* equal) noexcept;
  /// The chunk that was read last of a column.
  [[nodiscard]] const void* column(std::size_t index) const noexcept {
    return is_repeated_ ? vector_chunk_ : buffer_.get() + index * pitch_;
  }

 private:
  template <class Word>
  void keep_equal_words(std::size_t n, bool* equal) noexcept;

  engine::operand x_;
  std::ptrdiff_t step_;
  engine::element_copy copy_;  // of a row
  element_type target_;
  bool is_repeated_;
  std::size_t columns_ = 0, pitch_;
  engine::chunk_reader vector_;  // of a repeated vector
  const void* vector_chunk_ = nullptr;
  std::unique_ptr<std::byte[]> buffer_, rows_;
};

class panel_reducer {
 public:
  /// The panels lie along the last result axis of the batch.
  explicit panel_reducer(const engine::batch& of);

  /// Whether panels suit the batch: its elements lie further apart than its vectors.
  [[nodiscard]] static bool suits(const engine::batch& of);
  /// Columns of a panel.
  [[nodiscard]] static std::size_t width_of(const engine::batch& of);

  /// outcomes[i] = the result of column i of the panel whose first column is `first`, where wanted[i]. What they
  /// are is unspecified once the batch's monitor cancels.
  void reduce(const engine::line& first, std::size_t columns, const bool* wanted, core::outcome* outcomes) noexcept;
  /// The sums of the columns in mode exact, of each words_of_column() words, one column after the other; as above.
  /// Valid until the next call.
  [[nodiscard]] std::int64_t* sums_of(const engine::line& first, std::size_t columns) noexcept;
  [[nodiscard]] std::size_t words_of_column() const noexcept { return kernels_.of_sums->words(); }
  static constexpr std::size_t widest = 32;

 private:
  template <class Step>
  void for_chunks(Step step, int i = 0, int k = 0) noexcept;
  bool take_equal(std::size_t columns, bool* wanted, core::outcome* outcomes) noexcept;
  void finish_exactly(std::size_t columns, const bool* wanted, core::outcome* outcomes) noexcept;
  void compute_sums(std::size_t columns, const bool* wanted) noexcept;
  void add_states(const kernels& kernels, bool multiplied, std::size_t columns, const bool* wanted,
                  std::int64_t* words) noexcept;

  [[nodiscard]] const void* column_of_b(std::size_t index) const noexcept {
    return reads_b_ ? b_.column(index) : a_.column(index);
  }

  engine::plan each_;
  monitor* monitor_;
  batch_kernels kernels_;
  bool reads_b_;  // a second vector, or the other parts of the elements
  panel_reader a_, b_;
  std::vector<partial_result> partials_;
  std::vector<std::int64_t> words_;  // of all columns
};

}  // namespace exactdot::inline v0_3::cpu_engine

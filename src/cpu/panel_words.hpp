// Exact sums of 64-bit integers of many vectors at once, each in a lane of its own: the columns of a matrix, read
// row by row in place (word_rows-inl.h). Cost: 0.2 to 0.5 ns an element. No floating-point operation, so any
// environment will do.
#pragma once

#include <cpu/panel_sums.hpp>

namespace exactdot::inline v0_3::cpu_engine {

class panel_words {
 public:
  explicit panel_words(const engine::batch& of);

  /// Vectors of a panel: wide ones read more of a row at a time, and leave other threads less to do.
  [[nodiscard]] static std::size_t width_of(const engine::batch& of);
  /// Whether the results of the batch are sums of columns of such integers.
  [[nodiscard]] static bool suits(const engine::batch& of);

  /// Begins the panel of `width` vectors whose first one is `first`.
  void start(const engine::line& first, std::size_t width) noexcept;
  /// Adds elements first to first + count of each vector.
  void add(std::size_t first, std::size_t count) noexcept;
  /// Adds the sums of another share of the rows.
  void add(const panel_words& other) noexcept;
  [[nodiscard]] std::size_t width() const noexcept { return width_; }
  /// The result of vector i of the panel.
  [[nodiscard]] core::outcome result(std::size_t i) const noexcept;
  /// Stores the results of all vectors one after the other; see panel_sums::finish.
  bool finish(char* to, bool* is_open) noexcept;

 private:
  bool finish_integers(char* to, bool* is_open) noexcept;
  [[nodiscard]] word_sums sums() noexcept { return {words_.data(), words_.data() + pitch_}; }

  engine::plan each_;  ///< whose carrier is the elements' own type
  panel_rows rows_;
  word_row_kernel kernel_;
  std::uint64_t flip_;
  std::size_t pitch_, width_ = 0;
  std::vector<std::uint64_t> words_;
};

}  // namespace exactdot::inline v0_3::cpu_engine

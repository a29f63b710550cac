// Extreme elements of many vectors at once, each in a lane of its own: the columns of a matrix, read row by row in
// place.
#pragma once

#include <cpu/extreme.hpp>
#include <cpu/panel_sums.hpp>

namespace exactdot::inline v0_3::cpu_engine {

class panel_extrema {
 public:
  explicit panel_extrema(const engine::batch& of);

  /// Vectors of a panel: wide ones read more of a row at a time, and leave other threads less to do.
  [[nodiscard]] static std::size_t width_of(const engine::batch& of);
  /// Whether the results of the batch are extrema of columns.
  [[nodiscard]] static bool suits(const engine::batch& of);

  /// Begins the panel of `width` vectors whose first one is `first`.
  void start(const engine::line& first, std::size_t width) noexcept;
  /// Adds elements first to first + count of each vector.
  void add(std::size_t first, std::size_t count) noexcept;
  /// Those of all vectors of the panel, which may be changed.
  [[nodiscard]] std::span<extreme> found() noexcept;
  /// Stores the elements, `step` bytes apart, in native byte order. False if it is not so simple.
  [[nodiscard]] bool store(char* to, std::ptrdiff_t step) const noexcept;

 private:
  [[nodiscard]] static std::size_t folds_of(const engine::batch& of, const panel_rows& rows);
  void add_rows(std::size_t first, std::size_t count, std::size_t folds) noexcept;
  void keep(std::size_t first, std::size_t folds) noexcept;

  engine::plan each_;
  panel_rows rows_;
  column_extremum_kernel kernel_;
  std::size_t size_, width_ = 0;
  std::size_t folds_;                     ///< so many narrow rows are read as one: a column has as many lanes
  std::vector<std::byte> keys_, places_;  ///< of the rows since the last keep(), if indices are asked for
  std::vector<extreme> best_;             ///< the same of all before, if there are any
  bool has_best_ = false;
};

}  // namespace exactdot::inline v0_3::cpu_engine

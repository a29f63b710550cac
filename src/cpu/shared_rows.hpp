// Level 1 of mode exact for vectors that share one of the two they are multiplied with: the rows of a matrix times
// a vector, many at a time (cpu/rows-inl.h); the sums and means of rows, whose vector is 1. What the bound leaves
// open is for the reducers of lines and panels.
#pragma once

#include <cpu/batch_parts.hpp>

namespace exactdot::inline v0_3::cpu_engine {

class shared_rows {
 public:
  explicit shared_rows(const batch& of);

  /// Whether the results along the last axis share a vector, if they have one, and kernels read all in place.
  [[nodiscard]] static bool suits(const batch& of);
  /// How many rows to take at a time.
  [[nodiscard]] static std::size_t rows_at_a_time(const batch& of);
  static constexpr std::size_t max_rows = 256, rows_of_share = 4;

  /// Whether to take the next rows: false for some calls after one that left many open, as rows of different scales
  /// or of sums next to ties do.
  [[nodiscard]] bool takes_next() noexcept {
    if (skipped_ == 0) return true;
    --skipped_;
    return false;
  }
  /// The results from `index` on, `count` neighbouring ones whose first line is `first`. False if some are open.
  bool reduce(std::size_t index, const line& first, std::size_t count, result_sink& sink) noexcept;
  [[nodiscard]] bool is_open(std::size_t i) const noexcept { return is_open_[i]; }
  /// What is known of one that is open.
  [[nodiscard]] bounded_sum sum_of(std::size_t i) const noexcept { return bounds().at(i); }

 private:
  [[nodiscard]] row_bounds bounds() const noexcept {
    double* const of = memory_.get();
    return {{of, of + room_, of + 2 * room_}, of + 3 * room_};
  }

  const batch& of_;
  const kernels& kernels_;
  std::size_t room_;  // for so many rows
  bool is_far_;       // they are prefetched
  std::unique_ptr<double[]> memory_;
  int skipped_ = 0;  // calls to come
  std::array<bool, max_rows> is_open_{};
};

/// The terms of rows that lie `step` bytes apart, each with one vector of n elements, all of the type `carrier`,
/// contiguous and in native byte order; the results, of the type `result`, follow each other.
struct short_rows {
  element_type carrier, result;
  std::size_t term;
  const void* a;
  std::ptrdiff_t step;
  std::size_t count;
  const void* b;
  std::size_t n;
  void* out;
};

/// The products of a call so short that a batch would take as long, in mode exact on the calling thread, in the
/// environment of environment.hpp. It allocates nothing. False if many of them are open: then some of the results
/// are unspecified, and the batch is faster, which has panels for these.
[[nodiscard]] bool reduce_short_rows(const short_rows& of) noexcept;

}  // namespace exactdot::inline v0_3::cpu_engine

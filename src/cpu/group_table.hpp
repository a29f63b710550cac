// Level 1 of mode exact for groups whose elements lie anywhere: one pass over keys and elements adds each element
// to its group's compensated sum, with the bound of cpu/column_sums.hpp.
//
// Each thread has a table of all groups, and takes some of the elements; where these tables would take too much
// memory each thread has a table of some groups, and reads all keys. Memory: 32 bytes a group and sum, beside the
// input at most max(1 MiB, 1/16 of it) for tables of all groups, otherwise max(1 MiB, the input). Cost: 2 to 4 ns
// an element, where the table exceeds the caches that of a cache miss.
#pragma once

#include <cpu/batch_parts.hpp>
#include <cpu/inputs.hpp>
#include <cpu/sums.hpp>

namespace exactdot::cpu_engine {

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
    return sum_of(group, 0, static_cast<std::size_t>(threads_), index);
  }

 private:
  /// Groups `first` to first + count, whose sums are in the tables of `threads` threads from `thread` on.
  struct group_range {
    std::size_t first, count, thread, threads;
  };
  struct column_call;

  [[nodiscard]] group_sums* table(std::size_t thread, int index) noexcept {
    return tables_.data() +
           (thread * static_cast<std::size_t>(sums_.states()) + static_cast<std::size_t>(index)) * width_;
  }
  [[nodiscard]] const group_sums* table(std::size_t thread, int index) const noexcept {
    return const_cast<group_table*>(this)->table(thread, index);
  }
  void clear(std::size_t thread) noexcept;
  void share_elements(const column_call& call);
  void share_groups(const column_call& call);
  void add_to_all(const column_call& call, std::size_t start, std::size_t count, int thread) noexcept;
  void add_to_some(const column_call& call, const group_range& range, int thread) noexcept;
  void decide(const column_call& call, const group_range& range) noexcept;
  [[nodiscard]] bounded_sum sum_of(std::size_t slot, std::size_t thread, std::size_t threads, int index,
                                   std::size_t n) const noexcept;
  [[nodiscard]] bounded_sum sum_of(std::size_t group, std::size_t thread, std::size_t threads,
                                   int index) const noexcept {
    return sum_of(group, thread, threads, index, of_.group_sizes[group]);
  }

  const batch& of_;
  engine::plan column_;  ///< of all elements of a column, on one thread, without a monitor
  sums sums_;
  int threads_;
  std::size_t groups_, range_, copies_, width_;
  std::uint64_t of_nothing_;
  std::vector<group_sums> tables_;
};

/// The bytes of the elements that a column has.
[[nodiscard]] inline std::size_t input_bytes(const batch& of) {
  const std::size_t pair = size_of(of.each.a.type) + (of.each.info().inputs == 2 ? size_of(of.each.b.type) : 0);
  return of.keys.n * pair;
}

}  // namespace exactdot::cpu_engine

// A pass over the rows of several columns, group by group: a row's elements join the entries of its group, each in
// the table of its column, as in group_pass.hpp. Keys are read once for all columns, a row's memory as one.
//
// Memory: tables of some groups for each thread, 4 bytes a row and 8 bytes a group for keys in any order. Cost: that
// of the entries, and of keys in any order two cache misses a row.
#pragma once

#include <cpu/column_rows.hpp>
#include <cpu/segment_pass.hpp>

namespace exactdot::inline v0_3::cpu_engine {

template <class Tables>
class column_pass {
 public:
  /// tables: of up to columns_of_block columns, from `first_column` on. open: what is left to do, column by column.
  column_pass(const batch& of, const row_order& order, std::span<Tables> tables, std::size_t first_column,
              const result_sink& sink, unsigned char* open, element_type target_a, element_type target_b)
      : of_(of), order_(order), tables_(tables), sink_(sink), open_(open), entries_(entries_of_group(of)) {
    for (std::size_t i = 0; i < tables.size(); ++i) {
      const line column = of.column_at(first_column + i);
      columns_of_a_.push_back(static_cast<const char*>(column.a));
      columns_of_b_.push_back(static_cast<const char*>(column.b));
    }
    for (int i = 0; i < of.threads; ++i)
      workers_.push_back({{of.each.a, target_a}, {of.each.b, target_b}, {}, {}});
  }

  /// What it does is unspecified once the batch's monitor cancels.
  void run() {
    const std::size_t window = entries_of_column / entries_;
    engine::for_shares(of_.groups(), window, of_.threads,
                       [&](std::size_t start, std::size_t count, int thread) noexcept {
                         progress progress(of_, sink_.counts_elements());
                         for (std::size_t done = 0; done < count; done += window) {
                           const std::size_t n = std::min(window, count - done);
                           if (!progress.goes_on(take(start + done, n, static_cast<std::size_t>(thread)))) return;
                         }
                       });
  }

 private:
  struct worker {
    column_rows a, b;
    std::uint64_t bounds[entries_of_column + 1];
    std::uint32_t slots[rows_of_slice + group_slots_ahead];
  };

  /// Some neighbours. Returns how many elements were added.
  std::size_t take(std::size_t first, std::size_t count, std::size_t thread) noexcept {
    worker& by = workers_[thread];
    read_bounds(of_, order_, first, count, by.bounds);
    for (std::size_t k = 0; k < tables_.size(); ++k) tables_[k].clear(table_of(thread, k));
    std::size_t group = 0;
    for (std::uint64_t at = by.bounds[0]; at < by.bounds[count]; at += rows_of_slice) {
      const std::size_t n = std::min<std::size_t>(rows_of_slice, by.bounds[count] - at);
      for (std::size_t i = 0; i < n;) {
        const std::size_t stop = std::min<std::size_t>(by.bounds[group + 1] - at, n);
        for (; i < stop; ++i) by.slots[i] = static_cast<std::uint32_t>(group * entries_ + (i & (entries_ - 1)));
        if (i < n) ++group;
      }
      add(at, n, thread, by);
    }
    for (std::size_t k = 0; k < tables_.size(); ++k) {
      for (std::size_t i = 0; i < count; ++i) decide(first + i, i, k, thread, by.bounds[i + 1] - by.bounds[i]);
    }
    return (by.bounds[count] - by.bounds[0]) * tables_.size();
  }

  void add(std::uint64_t first, std::size_t n, std::size_t thread, worker& by) noexcept {
    const bool two = of_.each.info().inputs == 2;
    const std::uint32_t* const listed = of_.has_keys() ? order_.rows.data() + first : nullptr;
    by.a.read(columns_of_a_, listed, first, n);
    if (two) by.b.read(columns_of_b_, listed, first, n);
    for (std::size_t k = 0; k < tables_.size(); ++k) {
      const void* const a = by.a.column(k);
      tables_[k].add(table_of(thread, k), a, two ? by.b.column(k) : a, by.slots, n);
    }
  }

  void decide(std::size_t group, std::size_t place, std::size_t column, std::size_t thread, std::size_t n) noexcept {
    unsigned char& open = open_[column * of_.groups() + group];
    open = segment_done;
    if (n == 0) return tables_[column].decide_empty(group);
    if (!tables_[column].decide({place * entries_, table_of(thread, column), 1}, n, group)) open = segment_undecided;
  }

  [[nodiscard]] static std::size_t table_of(std::size_t thread, std::size_t column) noexcept {
    return thread * columns_of_block + column;
  }

  const batch& of_;
  const row_order& order_;
  std::span<Tables> tables_;
  const result_sink& sink_;
  unsigned char* open_;
  std::size_t entries_;
  std::vector<const char*> columns_of_a_, columns_of_b_;
  std::vector<worker> workers_;
};

}  // namespace exactdot::inline v0_3::cpu_engine

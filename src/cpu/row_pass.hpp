// A pass over the rows of several columns of groups: a row joins the sums of its group, all columns at once.
//
// Few groups: each thread has the sums of all, takes rows where they lie, and the threads' sums are added. More
// groups: each thread has the sums of some neighbours, whose rows follow each other or are listed
// (column_rows.hpp). Memory: the sums of all groups for each thread within memory_beside(input), otherwise those of
// a window of groups. Cost: of few groups and of keys that never decrease that of reading the rows, of others two
// cache misses a row; and a decision for each result.
#pragma once

#include <atomic>
#include <cpu/column_rows.hpp>
#include <cpu/row_reader.hpp>
#include <cpu/segment_pass.hpp>
#include <plan/group_keys.hpp>

namespace exactdot::inline v0_3::cpu_engine {

/// Sums: one thread's, of the block's columns: target(x), what elements of an operand are read as; clear(entries);
/// add(a, b, rows, entries): row i to entry entries[i]; add_run(a, b, rows, entry): all rows to one; merge(other,
/// entry); if any, add_column(column, x, n, entry): n consecutive elements of a column, of one input; decide(entry,
/// merged, n, group), const because threads share the sums that are merged: n rows of as many entries as were
/// merged; false if a result is open.
template <class Sums>
class row_pass {
 public:
  /// open: what is left to do, column by column; segment_done in all of them.
  row_pass(const batch& of, const row_order& order, std::size_t first, std::size_t count, result_sink& sink,
           unsigned char* open)
      : of_(of), order_(order), sink_(sink), shares_rows_(shares_rows(of)) {
    for (std::size_t i = first; i < first + count; ++i)
      columns_.push_back(static_cast<const char*>(of.column_at(i).a));
    const engine::operand& a = of.each.a;
    const bool are_read = !a.swapped && a.stride == static_cast<std::ptrdiff_t>(size_of(a.type));
    const bool are_long = of.elements / of.count >= long_column_run;
    adds_columns_ = has_column_sums && !of.has_keys() && are_read && are_long && lie_apart(of);
    const auto threads = static_cast<std::size_t>(of.threads);
    const std::size_t entries = shares_rows_ ? of.groups() + 1 : window;
    workers_.reserve(threads);
    for (std::size_t i = 0; i < threads; ++i) workers_.emplace_back(of, first, count, entries, sink, open);
  }

  /// Whether a result is left open. What it does is unspecified once the batch's monitor cancels.
  [[nodiscard]] bool run() {
    if (shares_rows_) {
      share_rows();
    } else {
      share_groups();
    }
    return is_open_;
  }

 private:
  /// Groups whose sums a thread has at a time.
  static constexpr std::size_t window = 32;
  /// From this mean length on the sums of a group stay in registers for its rows.
  static constexpr std::size_t long_run = 6;
  /// The same where columns lie apart, in which case each is added by itself.
  static constexpr std::size_t long_column_run = 16;
  static constexpr std::size_t bytes_ahead = 1024;
  static constexpr bool has_column_sums = requires(Sums & sums) {
    sums.add_column(std::size_t{}, static_cast<const char*>(nullptr), std::size_t{}, std::size_t{});
  };

  struct worker {
    row_reader a, b;
    Sums sums;
    std::uint64_t bounds[window + 1];
    std::uint32_t entries[rows_of_slice];

    worker(const batch& of, std::size_t first, std::size_t count, std::size_t groups, result_sink& sink,
           unsigned char* open)
        : a(of.each.a, Sums::target(of.each, of.each.a), starts(of, first, count, false), false),
          b(of.each.b, Sums::target(of.each, of.each.b), starts(of, first, count, true), true),
          sums(of, first, count, groups, sink, open) {}
  };

  static std::vector<const char*> starts(const batch& of, std::size_t first, std::size_t count, bool of_b) {
    std::vector<const char*> all;
    for (std::size_t i = first; i < first + count; ++i) {
      const line column = of.column_at(i);
      all.push_back(static_cast<const char*>(of_b ? column.b : column.a));
    }
    return all;
  }

  /// Calls visit(a, b, at, n) for the slices of rows first to first + n, of the order or as they lie.
  template <class Visit>
  void for_slices(worker& by, const std::uint32_t* listed, std::size_t first, std::size_t end,
                  Visit visit) noexcept {
    const bool two = of_.each.info().inputs == 2;
    for (std::size_t at = first; at < end; at += rows_of_slice) {
      const std::size_t n = std::min(rows_of_slice, end - at);
      const std::uint32_t* const from = listed == nullptr ? nullptr : listed + at;
      const row_block a = by.a.read(from, at, n);
      visit(a, two ? by.b.read(from, at, n) : a, at, n);
    }
  }

  void share_rows() noexcept {
    const std::size_t groups = of_.groups();
    for (worker& each : workers_) each.sums.clear(groups + 1);
    const std::size_t start = of_.has_keys() ? 0 : of_.group_sizes.front();
    const std::size_t end = of_.has_keys() ? of_.keys.n : of_.group_sizes.back();
    engine::for_shares(end - start, rows_of_slice, of_.threads,
                       [&](std::size_t from, std::size_t count, int thread) noexcept {
                         progress progress(of_, sink_.counts_elements());
                         constexpr std::size_t rows = 16 * rows_of_slice;  // between looks at the monitor
                         for (std::size_t done = 0; done < count; done += rows) {
                           const std::size_t n = std::min(rows, count - done);
                           add_rows(start + from + done, n, workers_[static_cast<std::size_t>(thread)]);
                           if (!progress.goes_on(n * workers_[0].sums.width())) return;
                         }
                       });
    if (is_cancelled(of_)) return;
    engine::for_shares(groups, 256, of_.threads, [&](std::size_t from, std::size_t count, int) noexcept {
      for (std::size_t group = from; group < from + count; ++group) {
        for (std::size_t i = 1; i < workers_.size(); ++i) workers_[0].sums.merge(workers_[i].sums, group);
        decide(workers_[0], group, workers_.size(), size_of_group(group), group);
      }
    });
  }

  [[nodiscard]] std::size_t size_of_group(std::size_t group) const noexcept {
    if (of_.has_keys()) return of_.group_sizes[group];
    return of_.group_sizes[group + 1] - of_.group_sizes[group];
  }

  /// Rows as they lie.
  void add_rows(std::size_t first, std::size_t n, worker& by) noexcept {
    const std::size_t groups = of_.groups();
    if (of_.has_keys()) {
      return for_slices(by, nullptr, first, first + n,
                        [&](const row_block& a, const row_block& b, std::size_t at, std::size_t count) {
                          const auto set = [groups, to = by.entries](std::size_t i, std::uint64_t key) {
                            to[i] = static_cast<std::uint32_t>(std::min<std::uint64_t>(key, groups));
                          };
                          engine::for_keys(of_.keys, at, count, set);
                          by.sums.add(a, b, count, by.entries);
                        });
    }
    const std::vector<std::uint64_t>& bounds = of_.group_sizes;  // which nobody overwrites
    auto group = static_cast<std::size_t>(std::ranges::upper_bound(bounds, first) - bounds.begin()) - 1;
    if (adds_columns_) {
      const auto end_of = [&](std::size_t i) { return std::min<std::size_t>(bounds[i + 1], first + n); };
      return add_columns(first, first + n, group, end_of, by);
    }
    for_slices(by, nullptr, first, first + n, [&](row_block a, row_block b, std::size_t at, std::size_t count) {
      for (std::size_t i = 0; i < count;) {
        const std::size_t stop = std::min<std::size_t>(bounds[group + 1] - at, count);
        if (stop > i) by.sums.add_run(moved(a, i), moved(b, i), stop - i, group), i = stop;
        if (i < count) ++group;
      }
    });
  }

  /// Adds rows `first` to `end` as they lie, column by column: those up to end_of(entry) to `entry`, the next ones
  /// to the next.
  template <class EndOf>
  void add_columns(std::size_t first, std::size_t end, std::size_t entry, EndOf end_of, worker& by) noexcept {
    if constexpr (has_column_sums) {
      for (std::size_t k = 0; k < columns_.size(); ++k) {
        for (std::size_t at = first, to = entry; at < end; ++to) {
          const std::size_t next = end_of(to);
          by.sums.add_column(k, columns_[k] + static_cast<std::ptrdiff_t>(at) * of_.each.a.stride, next - at, to);
          at = next;
        }
        // where the next rows of the column begin: the processor sees a new stream there
        const char* const behind = columns_[k] + static_cast<std::ptrdiff_t>(end) * of_.each.a.stride;
        for (std::size_t byte = 0; byte < bytes_ahead; byte += 64) __builtin_prefetch(behind + byte);
      }
    }
  }

  void share_groups() noexcept {
    engine::for_shares(of_.groups(), window, of_.threads,
                       [&](std::size_t start, std::size_t count, int thread) noexcept {
                         progress progress(of_, sink_.counts_elements());
                         for (std::size_t done = 0; done < count; done += window) {
                           const std::size_t n = std::min(window, count - done);
                           if (!progress.goes_on(take(start + done, n, workers_[static_cast<std::size_t>(thread)])))
                             return;
                         }
                       });
  }

  /// Some neighbours. Returns how many elements were added.
  std::size_t take(std::size_t first, std::size_t count, worker& by) noexcept {
    read_bounds(of_, order_, first, count, by.bounds);
    by.sums.clear(count);
    const std::size_t begin = by.bounds[0], end = by.bounds[count];
    if (adds_columns_) {
      add_columns(
          begin, end, 0, [&](std::size_t i) { return by.bounds[i + 1]; }, by);
    } else {
      add_slices(begin, end, end - begin >= long_run * count, by);
    }
    for (std::size_t i = 0; i < count; ++i) decide(by, i, 1, by.bounds[i + 1] - by.bounds[i], first + i);
    return (end - begin) * by.sums.width();
  }

  /// Adds the rows of the groups whose bounds the worker has.
  void add_slices(std::size_t begin, std::size_t end, bool are_long, worker& by) noexcept {
    const std::uint32_t* const listed = of_.has_keys() ? order_.rows.data() : nullptr;
    std::size_t group = 0;
    for_slices(by, listed, begin, end, [&](row_block a, row_block b, std::size_t at, std::size_t n) {
      for (std::size_t i = 0; i < n;) {
        const std::size_t stop = std::min<std::size_t>(by.bounds[group + 1] - at, n);
        if (are_long && stop > i) by.sums.add_run(moved(a, i), moved(b, i), stop - i, group);
        for (; i < stop; ++i) by.entries[i] = static_cast<std::uint32_t>(group);
        if (i < n) ++group;
      }
      if (!are_long) by.sums.add(a, b, n, by.entries);
    });
  }

  static row_block moved(row_block x, std::size_t rows) noexcept {
    x.data = x.row<char>(rows);
    return x;
  }

  void decide(const worker& by, std::size_t entry, std::size_t merged, std::size_t n, std::size_t group) noexcept {
    if (!by.sums.decide(entry, merged, n, group)) is_open_.store(true, std::memory_order_relaxed);
  }

  const batch& of_;
  const row_order& order_;
  result_sink& sink_;
  bool shares_rows_, adds_columns_ = false;
  std::vector<const char*> columns_;
  std::vector<worker> workers_;
  std::atomic<bool> is_open_{false};
};

}  // namespace exactdot::inline v0_3::cpu_engine

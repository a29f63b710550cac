// Short segments, many at a time: a window of neighbours has a table in the cache. Sums of a segment stay in
// registers until it ends, and those of several overlap; other elements join their segment's entry, as in
// group_pass.hpp.
//
// Segments without elements cost a store. Longer ones are left to the reducer of lines: here each element waits for
// the one before it, there a call costs some ten nanoseconds. Memory: a window's table for each thread.
#pragma once

#include <cpu/group_pass.hpp>

namespace exactdot::inline v0_3::cpu_engine {

/// What is left to do of a segment: nothing, its elements having been added but not decided, everything.
enum segment_state : unsigned char { segment_done, segment_undecided, segment_untouched };

/// Up to this length segments are taken in windows: where these take as long as calls of the reducer of lines, one
/// segment of equal ones after the other.
[[nodiscard]] inline std::size_t longest_short_segment(const batch& of) {
  const engine::plan& each = of.each;
  if (each.info().is_extremum) return 16;
  if (each.has_parts()) return each.info().needs_squares() ? 8 : each.multiplies() ? 28 : 14;
  if (each.multiplies() || each.info().needs_squares()) return 14;
  return each.carrier == element_type::float32 ? 16 : 24;
}

/// Tables: those of group_pass.hpp; of sums also set_runs(thread, first, a, b, sizes, runs): entries from `first`
/// on = the sums of runs of so many elements each.
template <class Tables>
class segment_pass {
 public:
  /// open[i] = what is left to do of segment i.
  segment_pass(const batch& of, Tables& tables, const result_sink& sink, unsigned char* open)
      : of_(of), tables_(tables), sink_(sink), open_(open), longest_(longest_short_segment(of)) {}

  /// What it does is unspecified once the batch's monitor cancels.
  void run() {
    engine::for_shares(of_.groups(), segment_window, of_.threads,
                       [&](std::size_t start, std::size_t count, int thread) noexcept {
                         progress progress(of_, sink_.counts_elements());
                         window some;
                         for (std::size_t done = 0; done < count; done += segment_window) {
                           const std::size_t n = std::min(segment_window, count - done);
                           if (!progress.goes_on(take(start + done, n, thread, some))) return;
                         }
                       });
  }

 private:
  static constexpr bool sets_runs = requires(Tables & tables, const std::uint32_t* sizes) {
    tables.set_runs(std::size_t{}, std::size_t{}, nullptr, nullptr, sizes, std::size_t{});
  };

  static constexpr std::size_t slots_at_once = 4;
  static_assert(slots_at_once <= group_slots_ahead);

  struct window {
    std::uint64_t bounds[segment_window + 1];  // copies, which nobody overwrites
    std::uint32_t slots[group_slice + group_slots_ahead] = {};
    std::uint32_t sizes[segment_window];

    [[nodiscard]] std::size_t length(std::size_t i) const noexcept { return bounds[i + 1] - bounds[i]; }
  };

  /// Some neighbours. Returns how many elements were added.
  std::size_t take(std::size_t first, std::size_t count, int thread, window& some) noexcept {
    copy_bounds(first, count, some);
    if constexpr (!sets_runs) tables_.clear(static_cast<std::size_t>(thread));
    std::size_t added = 0;
    for (std::size_t i = 0, next = 0; i < count; i = next) {
      for (next = i; next < count && some.length(next) <= longest_;) ++next;
      if (next == i) {
        ++next;
        continue;
      }
      added += some.bounds[next] - some.bounds[i];
      if constexpr (sets_runs) {
        set(i, next, thread, some);
      } else {
        add(i, next, thread, some);
      }
    }
    decide_all(first, count, thread, some);
    return added;
  }

  /// The results of a window, or that they are open.
  void decide_all(std::size_t first, std::size_t count, int thread, const window& some) noexcept {
    for (std::size_t i = 0; i < count; ++i) {
      if constexpr (decides_neighbours<Tables>) {
        const auto is_decided = [&](std::size_t k) { return some.length(k) != 0 && some.length(k) <= longest_; };
        std::size_t next = i;
        while (next < count && is_decided(next)) ++next;
        std::fill(open_ + first + i, open_ + first + next, segment_done);
        tables_.decide_neighbours(static_cast<std::size_t>(thread), i, first + i, next - i);
        i = next;
        if (i == count) return;
      }
      decide(first + i, i, thread, some.length(i));
    }
  }

  void copy_bounds(std::size_t first, std::size_t count, window& some) const noexcept {
    if (!of_.group_sizes.empty()) {  // which nobody overwrites
      std::copy_n(of_.group_sizes.begin() + static_cast<std::ptrdiff_t>(first), count + 1, some.bounds);
      return;
    }
    const std::uint64_t end = of_.column_length();  // offsets may have been overwritten since they were checked
    some.bounds[0] = std::min(engine::offset_at(of_.offsets, first), end);
    for (std::size_t i = 0; i < count; ++i)
      some.bounds[i + 1] = std::clamp(engine::offset_at(of_.offsets, first + i + 1), some.bounds[i], end);
  }

  /// The sums of segments first to last of a window, as many at a time as a slice holds.
  void set(std::size_t first, std::size_t last, int thread, window& some) noexcept {
    for (std::size_t next = first; first < last; first = next) {
      for (; next < last && some.bounds[next + 1] - some.bounds[first] <= group_slice; ++next)
        some.sizes[next] = static_cast<std::uint32_t>(some.length(next));
      const std::size_t begin = some.bounds[first], n = some.bounds[next] - begin;
      if (n == 0) continue;
      tables_.reader.for_slices(begin, n, thread, [&](const void* a, const void* b, std::size_t, std::size_t) {
        tables_.set_runs(static_cast<std::size_t>(thread), first, a, b, some.sizes + first, next - first);
      });
    }
  }

  /// Adds the elements of segments first to last of a window.
  void add(std::size_t first, std::size_t last, int thread, window& some) noexcept {
    const std::size_t begin = some.bounds[first], n = some.bounds[last] - begin;
    if (n == 0) return;
    std::size_t segment = first;
    tables_.reader.for_slices(
        begin, n, thread, [&](const void* a, const void* b, std::size_t start, std::size_t count) {
          for (std::size_t i = 0; i < count;) {
            const std::size_t stop = std::min<std::size_t>(some.bounds[segment + 1] - start, count);
            // some at once, of which the next segments overwrite the last: where one ends cannot be predicted
            std::fill_n(some.slots + i, slots_at_once, static_cast<std::uint32_t>(segment));
            for (i += slots_at_once; i < stop; ++i) some.slots[i] = static_cast<std::uint32_t>(segment);
            i = stop;
            if (i < count) ++segment;
          }
          tables_.add(static_cast<std::size_t>(thread), a, b, some.slots, count);
        });
  }

  void decide(std::size_t segment, std::size_t slot, int thread, std::size_t n) noexcept {
    open_[segment] = segment_untouched;
    if (n > longest_) return;
    open_[segment] = segment_done;
    if (n == 0) return tables_.decide_empty(segment);
    if (!tables_.decide({slot, static_cast<std::size_t>(thread), 1}, n, segment))
      open_[segment] = segment_undecided;
  }

  const batch& of_;
  Tables& tables_;
  const result_sink& sink_;
  unsigned char* open_;
  std::size_t longest_;
};

/// The pass over the elements of a column of groups or segments.
template <class Tables>
void run_pass(const batch& of, const group_tables_shape& shape, Tables& tables, const result_sink& sink,
              unsigned char* open) {
  if (of.has_keys()) return group_pass(of, shape, tables, sink, open).run();
  segment_pass(of, tables, sink, open).run();
}

}  // namespace exactdot::inline v0_3::cpu_engine

// A pass over the keys and elements of a column: each element joins the entry of a table that its key selects.
//
// What a table holds and how an element joins it is another class's: sums with a bound (group_table.hpp), extrema
// (group_extrema.hpp), sums of 64-bit integers (group_integers.hpp). Each thread has a table of all groups, and
// takes some of the elements; where these tables would take too much memory each thread has a table of some groups,
// and reads all keys. Memory: beside the input at most max(1 MiB, 1/16 of it) for tables of all groups, otherwise
// max(1 MiB, the input). Cost: the entry's, and 1 to 2 ns an element, where the table exceeds the caches a cache
// miss.
#pragma once

#include <algorithm>
#include <cpu/batch_parts.hpp>
#include <cpu/column_rows.hpp>
#include <cpu/inputs.hpp>
#include <cstring>
#include <plan/group_counts.hpp>
#include <plan/group_keys.hpp>

namespace exactdot::inline v0_3::cpu_engine {

/// Neighbouring segments whose entries are in a table at a time.
inline constexpr std::size_t segment_window = 512;

/// Elements that are added at a time.
inline constexpr std::size_t group_slice = 1024;

/// What a table's entries are, and how many.
struct group_tables_shape {
  std::size_t threads;  ///< that have tables
  std::size_t tables;   ///< one a thread, or one for each of some columns
  std::size_t groups;   ///< of the batch
  std::size_t range;    ///< of a table: all groups, or fewer
  std::size_t copies;   ///< entries of a group that neighbouring elements use in turn
  std::size_t width;    ///< entries of a table: range · copies, and one for elements of no group

  /// Of tables of so many bytes a group.
  group_tables_shape(const batch& of, std::size_t bytes_of_group);

  [[nodiscard]] bool has_all() const { return range == groups; }
};

/// Entries that hold what the elements of a group have made: copies of them, in the tables of some threads.
struct group_entries {
  std::size_t slot;  ///< of the first copy
  std::size_t thread, threads;
};

/// Tables that have the results of entries that follow each other from `slot` on, one a group and none of them
/// empty, at once: decide_neighbours(thread, slot, first_group, count).
template <class Tables>
inline constexpr bool decides_neighbours = requires(Tables& tables, std::size_t i) {
  tables.decide_neighbours(i, i, i, i);
};

/// Tables: clear(thread); add(thread, a, b, slots, n): n elements, element i to the entry slots[i], and
/// group_slots_ahead more slots that may be prefetched; decide(entries, n, to, group): the result of n > 0
/// elements, which goes to the sink, or false if it is open; decide_empty(to, group); reader.for_slices(start,
/// count, thread, step), with elements of size_of_a and size_of_b bytes.
template <class Tables>
class group_pass {
 public:
  /// open[i] = whether group i stays open.
  group_pass(const batch& of, const group_tables_shape& shape, Tables& tables, const result_sink& sink,
             unsigned char* open)
      : of_(of), shape_(shape), tables_(tables), sink_(sink), open_(open) {}

  /// What it does is unspecified once the batch's monitor cancels.
  void run() {
    if (shape_.has_all()) {
      share_elements();
    } else {
      share_groups();
    }
  }

 private:
  /// Groups `first` to first + count, which are in the tables of `threads` threads from `thread` on.
  struct group_range {
    std::size_t first, count, thread, threads;
  };

  void share_elements() {
    for (std::size_t i = 0; i < shape_.threads; ++i) tables_.clear(i);
    engine::for_shares(
        of_.keys.n, engine::min_share, static_cast<int>(shape_.threads),
        [&](std::size_t start, std::size_t count, int thread) noexcept { add_to_all(start, count, thread); });
    if (is_cancelled(of_)) return;
    const int threads = static_cast<int>(std::min<std::size_t>(shape_.threads, shape_.groups / 256 + 1));
    engine::for_shares(shape_.groups, 64, threads, [&](std::size_t start, std::size_t count, int) noexcept {
      decide({start, count, 0, shape_.threads});
    });
  }

  void share_groups() {
    const std::size_t ranges = shape_.groups / shape_.range + (shape_.groups % shape_.range != 0);
    engine::for_shares(ranges, 1, static_cast<int>(shape_.threads),
                       [&](std::size_t start, std::size_t count, int thread) noexcept {
                         for (std::size_t i = start; i < start + count && !is_cancelled(of_); ++i) {
                           const std::size_t first = i * shape_.range;
                           const group_range range{first, std::min(shape_.range, shape_.groups - first),
                                                   static_cast<std::size_t>(thread), 1};
                           tables_.clear(range.thread);
                           add_to_some(range, thread);
                           decide(range);
                         }
                       });
  }

  /// Adds some elements to the thread's table of all groups.
  void add_to_all(std::size_t start, std::size_t count, int thread) noexcept {
    progress progress(of_, sink_.counts_elements());
    std::uint32_t slots[group_slice + group_slots_ahead] = {};
    const std::size_t groups = shape_.groups, copies = shape_.copies,
                      last = shape_.width - 1;  // copies: a power of 2
    bool goes_on = true;
    tables_.reader.for_slices(
        start, count, thread, [&](const void* a, const void* b, std::size_t first, std::size_t n) {
          if (!goes_on) return;
          // by value, and without a count, which would be stored for each key
          engine::for_keys(of_.keys, first, n,
                           [groups, copies, last, to = &slots[0]](std::size_t i, std::uint64_t key) {
                             const std::size_t slot = key < groups ? key * copies + (i & (copies - 1)) : last;
                             to[i] = static_cast<std::uint32_t>(slot);
                           });
          tables_.add(static_cast<std::size_t>(thread), a, b, slots, n);
          const auto outside = std::count(slots, slots + n, static_cast<std::uint32_t>(last));
          goes_on = progress.goes_on(n - static_cast<std::size_t>(outside));
        });
  }

  /// Adds the elements of some groups to the thread's table of these.
  void add_to_some(const group_range& range, int thread) noexcept {
    progress progress(of_, sink_.counts_elements());
    std::uint32_t slots[group_slice + group_slots_ahead] = {}, positions[group_slice];
    alignas(64) std::byte first_of_pairs[group_slice * sizeof(double)],
        second_of_pairs[group_slice * sizeof(double)];
    const std::size_t first_group = range.first, groups = range.count;
    const bool two = of_.each.info().inputs == 2;  // which may be the same memory as two types
    bool goes_on = true;
    tables_.reader.for_slices(
        0, of_.keys.n, thread, [&](const void* a, const void* b, std::size_t first, std::size_t n) {
          if (!goes_on) return;
          std::size_t found = 0;
          engine::for_keys(of_.keys, first, n, [&](std::size_t i, std::uint64_t key) {
            const std::uint64_t slot = key - first_group;
            slots[found] = static_cast<std::uint32_t>(slot);
            positions[found] = static_cast<std::uint32_t>(i);
            found += slot < groups ? 1 : 0;
          });
          std::fill_n(slots + found, group_slots_ahead, 0);
          pick(a, tables_.size_of_a, positions, found, first_of_pairs);
          if (two) pick(b, tables_.size_of_b, positions, found, second_of_pairs);
          tables_.add(range.thread, first_of_pairs, two ? second_of_pairs : first_of_pairs, slots, found);
          goes_on = progress.goes_on(found);
        });
  }

  /// The results of some groups, or that they are open.
  void decide(const group_range& range) noexcept {
    const std::size_t first_of_table = shape_.has_all() ? 0 : range.first;
    if constexpr (decides_neighbours<Tables>) {  // which have been refused where a group has no elements
      if (range.threads == 1 && shape_.copies == 1) {
        std::fill_n(open_ + range.first, range.count, 0);
        return tables_.decide_neighbours(range.thread, range.first - first_of_table, range.first, range.count);
      }
    }
    for (std::size_t group = range.first; group < range.first + range.count; ++group) {
      const std::size_t n = of_.group_sizes[group];
      if (n == 0) {
        tables_.decide_empty(group);
        open_[group] = 0;
        continue;
      }
      const std::size_t slot = (group - first_of_table) * shape_.copies;
      open_[group] = tables_.decide({slot, range.thread, range.threads}, n, group) ? 0 : 1;
    }
  }

  /// The elements of a slice at these positions.
  static void pick(const void* from, std::size_t size, const std::uint32_t* positions, std::size_t n,
                   std::byte* to) noexcept {
    const auto pick_words = [&]<class Word>(Word) {
      for (std::size_t i = 0; i < n; ++i) {
        std::memcpy(to + i * sizeof(Word), static_cast<const char*>(from) + positions[i] * sizeof(Word),
                    sizeof(Word));
      }
    };
    switch (size) {
      case 1:
        return pick_words(std::uint8_t{});
      case 2:
        return pick_words(std::uint16_t{});
      case 4:
        return pick_words(std::uint32_t{});
      default:
        return pick_words(std::uint64_t{});
    }
  }

  const batch& of_;
  const group_tables_shape& shape_;
  Tables& tables_;
  const result_sink& sink_;
  unsigned char* open_;
};

inline group_tables_shape::group_tables_shape(const batch& of, std::size_t bytes_of_group)
    : threads(static_cast<std::size_t>(of.threads)), tables(threads), groups(of.groups()) {
  if (takes_rows(of)) {
    tables = threads * columns_of_block;
    copies = entries_of_group(of), range = entries_of_column / copies, width = entries_of_column + 1;
    return;
  }
  if (!of.has_keys()) {  // a table of some neighbours after the others
    range = std::min(groups, segment_window), copies = 1, width = range + 1;
    return;
  }
  // Up to so many groups a table has several entries of each, used in turn: an element need not wait for the one
  // before it. More groups wait less, and would take more of the cache.
  constexpr std::size_t few_groups = 128, entries_in_turn = 8;
  const std::size_t limit =
      std::max(std::size_t{1} << 20, input_bytes(of)) / threads / bytes_of_group;  // of a table
  const std::size_t beside = engine::memory_beside(input_bytes(of)) / threads / bytes_of_group;
  const bool fits = groups <= (threads == 1 ? limit : beside);
  range = fits ? groups : std::clamp<std::size_t>(groups / threads + (groups % threads != 0), 1, limit);
  copies = fits && groups <= few_groups ? entries_in_turn : 1;
  width = range * copies + 1;
}

}  // namespace exactdot::inline v0_3::cpu_engine

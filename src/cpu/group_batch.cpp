// Groups whose elements lie anywhere, column by column: extrema, sums of 64-bit integers and level 1 of other sums
// in tables; then what level 1 leaves open, or does not serve (states), gathered into lines.
#include <cpu/group_extrema.hpp>
#include <cpu/group_integers.hpp>
#include <cpu/group_lines.hpp>
#include <cpu/group_table.hpp>
#include <cpu/row_sums.hpp>
#include <cpu/segment_pass.hpp>
#include <cpu/word_row_sums.hpp>
#include <optional>

namespace exactdot::inline v0_3::cpu_engine {
namespace {

/// Groups without elements: the same result for all. open[i] = whether group i has elements.
void take_empty_groups(const batch& of, std::size_t column, result_sink& sink, std::span<unsigned char> open) {
  for (std::size_t group = 0; group < open.size(); ++group) {
    open[group] = of.group_sizes[group] != 0 ? 1 : 0;
    if (open[group] != 0) continue;
    engine::plan empty = of.each;
    empty.n = 0;
    const std::size_t index = column * open.size() + group;
    char* const to = of.line_at(index).out;
    if (of.states != nullptr) {
      sink.take_no_sums(to);
    } else {
      sink.take(index, to, {engine::result_of_nothing(empty)});
    }
  }
}

/// Tables that leave no group open.
template <class Tables>
void reduce_in_tables(const batch& of, result_sink& sink) {
  std::vector<unsigned char> open(of.keys.groups);
  Tables tables(of);
  for (std::size_t column = 0; column < of.column_count && !is_cancelled(of); ++column)
    tables.reduce(column, sink, open);
}

/// Sums of blocks of columns by a pass over their rows. The flags are those of sums that are done.
template <class Sums>
struct row_passes {
  const batch& of;

  explicit row_passes(const batch& all) : of(all) {}
  bool reduce_rows(std::size_t first, std::size_t count, const row_order& order, result_sink& sink,
                   std::span<unsigned char> open) const {
    return row_pass<Sums>(of, order, first, count, sink, open.data()).run();
  }
};

/// Tables for blocks of columns. after(first, count, open): what is left to do of them.
template <class Tables, class After>
void reduce_blocks(const batch& of, result_sink& sink, After after) {
  const row_order order(of);
  Tables tables(of);
  for (std::size_t first = 0; first < of.column_count && !is_cancelled(of); first += columns_of_block) {
    const std::size_t count = std::min(columns_of_block, of.column_count - first);
    const std::span<unsigned char> open = after.open_of(first, count);
    if (tables.reduce_rows(first, count, order, sink, open) && !is_cancelled(of)) after(first, count, open);
  }
}

/// What level 1 leaves open of groups with keys is gathered.
struct gathered_after {
  const batch& of;
  result_sink& sink;
  std::optional<group_lines> lines{};
  std::vector<unsigned char> flags{};

  std::span<unsigned char> open_of(std::size_t, std::size_t count) {
    flags.assign(count * of.groups(), segment_done);
    return flags;
  }
  void operator()(std::size_t first, std::size_t count, std::span<const unsigned char> open) {
    if (!lines) lines.emplace(of);
    for (std::size_t i = 0; i < count && !is_cancelled(of); ++i)
      lines->reduce(first + i, open.subspan(i * of.groups(), of.groups()), sink, false);
  }
};

/// Of segments the flags are the caller's.
struct flagged_after {
  const batch& of;
  std::span<unsigned char> flags;
  bool& is_open;

  std::span<unsigned char> open_of(std::size_t first, std::size_t count) {
    return flags.subspan(first * of.groups(), count * of.groups());
  }
  void operator()(std::size_t, std::size_t, std::span<unsigned char>) { is_open = true; }
};

template <class After>
void reduce_blocks_of_any(const batch& of, result_sink& sink, After after) {
  if (group_extrema::suits(of)) return reduce_blocks<group_extrema>(of, sink, std::move(after));
  if (!sums_rows(of)) return reduce_blocks<group_integers>(of, sink, std::move(after));
  if (of.each.has_parts()) return reduce_blocks<row_passes<word_row_sums>>(of, sink, std::move(after));
  reduce_blocks<row_passes<row_sums>>(of, sink, std::move(after));
}

}  // namespace

bool reduce_rows_of_groups(const batch& of, result_sink& sink, std::span<unsigned char> open) {
  bool is_open = false;
  reduce_blocks_of_any(of, sink, flagged_after{of, open, is_open});
  return is_open;
}

void reduce_groups(const batch& of, result_sink& sink) {
  if (takes_rows(of)) return reduce_blocks_of_any(of, sink, gathered_after{of, sink});
  if (group_extrema::suits(of)) return reduce_in_tables<group_extrema>(of, sink);
  if (group_integers::suits(of)) return reduce_in_tables<group_integers>(of, sink);
  std::vector<unsigned char> open(of.keys.groups);
  std::optional<group_table> table;
  if (group_table::suits(of)) table.emplace(of);
  group_lines lines(of);
  for (std::size_t column = 0; column < of.column_count; ++column) {
    if (table) {
      table->reduce(column, sink, open);
    } else {
      take_empty_groups(of, column, sink, open);
    }
    if (is_cancelled(of)) return;
    lines.reduce(column, open, sink, !table && sink.counts_elements());
    if (is_cancelled(of)) return;
  }
}

}  // namespace exactdot::inline v0_3::cpu_engine

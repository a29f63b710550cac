// Groups whose elements lie anywhere, column by column: extrema, sums of 64-bit integers and level 1 of other sums
// in tables; then what level 1 leaves open, or does not serve (states), gathered into lines.
#include <cpu/group_extrema.hpp>
#include <cpu/group_integers.hpp>
#include <cpu/group_lines.hpp>
#include <cpu/group_table.hpp>
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

}  // namespace

void reduce_groups(const batch& of, result_sink& sink) {
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

// Short segments in windows; and what groups without elements get that are no vectors of a batch.
#include <cpu/group_extrema.hpp>
#include <cpu/group_integers.hpp>
#include <cpu/group_table.hpp>
#include <cpu/ratios.hpp>
#include <cpu/segment_pass.hpp>

namespace exactdot::inline v0_3::cpu_engine {
namespace {

template <class Tables>
void reduce_in_windows(const batch& of, result_sink& sink, std::span<unsigned char> open) {
  Tables tables(of);
  for (std::size_t column = 0; column < of.column_count && !is_cancelled(of); ++column)
    tables.reduce(column, sink, open.subspan(column * of.groups(), of.groups()));
}

}  // namespace

bool are_short_segments(const batch& of) {
  constexpr std::size_t few_segments = 8;
  if (of.is_grid() || of.has_keys() || of.count < few_segments) return false;
  if (of.elements / of.count > longest_short_segment(of) * 3 / 4) return false;  // of a mean length many are longer
  if (gives_index(of.each.what) || (of.each.mode != mode::exact && !of.each.info().is_extremum)) return false;
  if (group_extrema::suits(of) || group_integers::suits(of)) return true;
  return group_table::suits(of) && of.each.bounded_sum_can_decide;
}

void reduce_short_segments(const batch& of, result_sink& sink, std::span<unsigned char> open) {
  if (group_extrema::suits(of)) return reduce_in_windows<group_extrema>(of, sink, open);
  if (group_integers::suits(of)) return reduce_in_windows<group_integers>(of, sink, open);
  reduce_in_windows<group_table>(of, sink, open);
}

void store_empty_groups(const batch& of) {
  if (of.all_groups == 0 || of.adds_to_results) return;  // which keep their bits
  engine::plan empty = of.each;
  empty.n = 0;
  const std::uint64_t result = of.states != nullptr     ? 0
                               : empty.info().is_ratio ? ratio_of_nothing(empty)
                                                       : engine::result_of_nothing(empty);
  const result_sink sink(of, nullptr, true, true);
  const auto store = [&](char* first, std::size_t n) {
    if (of.states == nullptr) return of.store_all(first, n, result);
    for (std::size_t i = 0; i < n; ++i) sink.take_no_sums(first + static_cast<std::ptrdiff_t>(i) * of.out_stride);
  };
  const auto& names = of.group_names;
  for (std::size_t column = 0; column < of.column_count; ++column) {
    char* const out = of.column_at(column).out;
    engine::for_shares(of.all_groups, engine::min_share, of.threads,
                       [&](std::size_t start, std::size_t count, int) noexcept {
                         const std::size_t end = start + count;
                         auto next = std::ranges::lower_bound(names, start);
                         for (std::size_t group = start; group < end; ++group) {
                           const std::size_t stop = next == names.end() ? end : std::min<std::size_t>(*next++, end);
                           if (stop <= group) continue;
                           store(out + static_cast<std::ptrdiff_t>(group) * of.out_stride, stop - group);
                           group = stop;
                         }
                       });
  }
}

}  // namespace exactdot::inline v0_3::cpu_engine

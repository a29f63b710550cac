// Implementation of group_table.hpp.
#include <cpu/column_decision.hpp>
#include <cpu/equal_elements.hpp>
#include <cpu/group_table.hpp>
#include <cpu/segment_pass.hpp>

namespace exactdot::inline v0_3::cpu_engine {

/// What group_pass.hpp needs.
struct group_table::tables {
  group_table& table;
  std::size_t column;
  char* out;
  result_sink& sink;
  inputs reader;
  std::size_t size_of_a, size_of_b;

  [[nodiscard]] group_sums* of(std::size_t thread, int index) const noexcept {
    return table.entries_.data() + table.table(thread, index);
  }
  void clear(std::size_t thread) noexcept {
    std::fill_n(of(thread, 0), table.shape_.width * static_cast<std::size_t>(table.sums_.states()), group_sums{});
  }
  void add(std::size_t thread, const void* a, const void* b, const std::uint32_t* slots, std::size_t n) noexcept {
    const sums& sums = table.sums_;
    sums.term->add_groups(a, b, slots, n, of(thread, 0));
    if (sums.squares != nullptr) sums.squares->add_groups(a, a, slots, n, of(thread, 1));
  }
  /// Entries `first` on = the sums of runs that follow each other.
  void set_runs(std::size_t thread, std::size_t first, const void* a, const void* b, const std::uint32_t* sizes,
                std::size_t runs) noexcept {
    const sums& sums = table.sums_;
    sums.term->sum_runs(a, b, sizes, runs, of(thread, 0) + first);
    if (sums.squares != nullptr) sums.squares->sum_runs(a, a, sizes, runs, of(thread, 1) + first);
  }
  void give(std::size_t group, std::uint64_t word) noexcept {
    sink.take(column * table.shape_.groups + group, table.of_.place_of(out, group), {word});
  }
  void decide_empty(std::size_t group) noexcept {
    give(group, table.of_.adds_to_results ? table.of_.load(table.of_.place_of(out, group)) : table.of_nothing_);
  }
  bool decide(const group_entries& entries, std::size_t n, std::size_t group) noexcept {
    core::decision found{};
    with_addend_at(table.of_, table.of_.place_of(out, group),
                   [&](const addend* more) { found = table.decide(entries, n, more); });
    if (found.certain) give(group, found.word);
    return found.certain;
  }
};

bool group_table::suits(const batch& of) {
  const engine::plan& each = of.each;
  return !of.is_grid() && of.states == nullptr && !each.info().is_extremum && !each.has_parts();
}

group_table::group_table(const batch& of)
    : of_(of),
      column_(of.each),
      sums_(of.each),
      shape_(of, sizeof(group_sums) * static_cast<std::size_t>(sums_.states())) {
  const core::result_rule& rule = column_.result;
  rounds_to_double_ = sums_.squares == nullptr && rule.finish() == core::finish::round && rule.gives<double>();
  column_.n = 0;
  of_nothing_ = engine::result_of_nothing(column_);
  column_.n = of.column_length();
  entries_.resize(table(shape_.tables, 0));
}

void group_table::reduce(std::size_t column, result_sink& sink, std::span<unsigned char> open) {
  const line all = of_.column_at(column);
  column_.a.data = all.a, column_.b.data = all.b;
  const std::size_t size = size_of(column_.carrier);
  tables made{*this, column, all.out, sink, {column_, of_.threads, group_slice}, size, size};
  run_pass(of_, shape_, made, sink, open.data());
  if (of_.has_keys() && shape_.has_all() && !is_cancelled(of_) && are_many_open(open)) take_equal(made, open);
}

/// Whether the open groups have so many elements that a pass over all takes less time than gathering these.
bool group_table::are_many_open(std::span<const unsigned char> open) const noexcept {
  if (sums_.squares == nullptr) return false;
  std::size_t elements = 0;
  for (std::size_t group = 0; group < open.size(); ++group)
    elements += open[group] != 0 ? of_.group_sizes[group] : 0;
  return elements != 0 && elements >= of_.keys.n / 16;
}

/// Variances of open groups whose elements are all equal are 0; these are no longer open.
void group_table::take_equal(tables& made, std::span<unsigned char> open) const {
  const std::size_t groups = shape_.groups;
  std::vector<equal_entry> entries(shape_.threads * (groups + 1));  // and one for elements of no group
  with_carrier(column_.carrier, [&]<class T>(T) {
    engine::for_shares(
        of_.keys.n, engine::min_share, static_cast<int>(shape_.threads),
        [&](std::size_t start, std::size_t count, int thread) noexcept {
          equal_entry* const to = &entries[static_cast<std::size_t>(thread) * (groups + 1)];
          made.reader.for_slices(
              start, count, thread, [&](const void* x, const void*, std::size_t first, std::size_t n) {
                if (is_cancelled(of_)) return;
                engine::for_keys(of_.keys, first, n, [to, groups, x](std::size_t i, std::uint64_t key) {
                  to[std::min<std::uint64_t>(key, groups)].add(equal_entry::word_of<T>(x, i));
                });
              });
        });
    for (std::size_t group = 0; group < groups && !is_cancelled(of_); ++group) {
      if (open[group] == 0 || of_.group_sizes[group] <= column_.ddof) continue;
      equal_entry all;
      for (std::size_t i = 0; i < shape_.threads; ++i) all.add(entries[i * (groups + 1) + group]);
      if (!all.are_equal<T>()) continue;
      made.give(group, 0);
      open[group] = 0;
    }
  });
}

bounded_sum group_table::sum_of(const group_entries& entries, std::size_t n, int index,
                                const addend* more) const noexcept {
  const kernels& kernels = index == 0 ? *sums_.term : *sums_.squares;
  const std::size_t merges = entries.threads * shape_.copies;
  group_sums total = entries_[table(entries.thread, index) + entries.slot];
  if (merges != 1) {
    total = {};
    for (std::size_t i = entries.thread; i < entries.thread + entries.threads; ++i) {
      const group_sums* const from = entries_.data() + table(i, index) + entries.slot;
      for (std::size_t k = 0; k < shape_.copies; ++k) total = merged(total, from[k]);
    }
    n += 2 * merges;
  }
  if (more != nullptr) total = more->joined(total), n += terms_of_addend;
  return bounded_column(total.sum, total.error, total.magnitude, total.smallest, n, kernels.has_two_part_terms);
}

core::decision group_table::decide(const group_entries& entries, std::size_t n, const addend* more) const noexcept {
  if (rounds_to_double_) return decide_rounded<double>(sum_of(entries, n, 0, more));
  if (sums_.squares == nullptr) return decide_column(column_.result, n, sum_of(entries, n, 0, more));
  if (n <= column_.ddof) return {of_nothing_, true};
  return decide_moments(column_, n, {sum_of(entries, n, 0), sum_of(entries, n, 1)});
}

}  // namespace exactdot::inline v0_3::cpu_engine

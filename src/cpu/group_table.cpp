// Implementation of group_table.hpp.
#include <algorithm>
#include <cpu/column_decision.hpp>
#include <cpu/group_table.hpp>
#include <plan/group_counts.hpp>
#include <plan/group_keys.hpp>

namespace exactdot::cpu_engine {
namespace {

/// Elements that are added at a time.
constexpr std::size_t table_slice = 1024;

/// Up to so many groups a table has several sums of each, used in turn: an addition need not wait for the one
/// before it. More groups wait less, and would take more of the cache.
constexpr std::size_t few_groups = 128, sums_in_turn = 8;

std::size_t quotient_up(std::size_t x, std::size_t y) { return x / y + (x % y != 0); }

/// The elements of a slice that belong to some groups.
template <class T>
void pick(const void* from, const std::uint32_t* positions, std::size_t n, std::byte* to) noexcept {
  for (std::size_t i = 0; i < n; ++i) {
    std::memcpy(to + i * sizeof(T), static_cast<const char*>(from) + positions[i] * sizeof(T), sizeof(T));
  }
}

}  // namespace

struct group_table::column_call {
  std::size_t column;
  char* out;
  result_sink& sink;
  unsigned char* open;
  inputs& elements;
};

bool group_table::suits(const batch& of) {
  const engine::plan& each = of.each;
  return of.has_keys() && of.states == nullptr && !each.info().is_extremum && !each.has_parts() &&
         arithmetic_is_standard();
}

group_table::group_table(const batch& of)
    : of_(of), column_(of.each), sums_(of.each), threads_(of.threads), groups_(of.keys.groups) {
  column_.n = 0;
  of_nothing_ = engine::result_of_nothing(column_);
  column_.n = of.keys.n;
  const auto threads = static_cast<std::size_t>(threads_);
  const std::size_t bytes = sizeof(group_sums) * static_cast<std::size_t>(sums_.states());      // of a group
  const std::size_t limit = std::max(std::size_t{1} << 20, input_bytes(of)) / threads / bytes;  // groups of a table
  const bool fits = groups_ <= (threads_ == 1 ? limit : engine::memory_beside(input_bytes(of)) / threads / bytes);
  range_ = fits ? groups_ : std::clamp<std::size_t>(quotient_up(groups_, threads), 1, limit);
  copies_ = fits && groups_ <= few_groups ? sums_in_turn : 1;
  width_ = range_ * copies_ + 1;  // the last is for elements of no group
  tables_.resize(threads * static_cast<std::size_t>(sums_.states()) * width_);
}

void group_table::clear(std::size_t thread) noexcept {
  std::fill_n(table(thread, 0), width_ * static_cast<std::size_t>(sums_.states()), group_sums{});
}

void group_table::reduce(std::size_t column, result_sink& sink, std::span<unsigned char> open) {
  const line all = of_.column_at(column);
  column_.a.data = all.a, column_.b.data = all.b;
  inputs elements(column_, threads_, table_slice);
  const column_call call{column, all.out, sink, open.data(), elements};
  if (range_ == groups_) {
    share_elements(call);
  } else {
    share_groups(call);
  }
}

void group_table::share_elements(const column_call& call) {
  for (int i = 0; i < threads_; ++i) clear(static_cast<std::size_t>(i));
  engine::for_shares(
      of_.keys.n, engine::min_share, threads_,
      [&](std::size_t start, std::size_t count, int thread) noexcept { add_to_all(call, start, count, thread); });
  if (is_cancelled(of_)) return;
  const int threads =
      static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(threads_), groups_ / 256 + 1));
  engine::for_shares(groups_, 64, threads, [&](std::size_t start, std::size_t count, int) noexcept {
    decide(call, {start, count, 0, static_cast<std::size_t>(threads_)});
  });
}

void group_table::share_groups(const column_call& call) {
  engine::for_shares(
      quotient_up(groups_, range_), 1, threads_, [&](std::size_t start, std::size_t count, int thread) noexcept {
        for (std::size_t i = start; i < start + count && !is_cancelled(of_); ++i) {
          const std::size_t first = i * range_;
          const group_range range{first, std::min(range_, groups_ - first), static_cast<std::size_t>(thread), 1};
          clear(range.thread);
          add_to_some(call, range, thread);
          decide(call, range);
        }
      });
}

/// Adds some elements to the thread's table of all groups.
void group_table::add_to_all(const column_call& call, std::size_t start, std::size_t count, int thread) noexcept {
  progress progress(of_, call.sink.counts_elements());
  std::uint32_t slots[table_slice + group_slots_ahead] = {};
  const auto of_thread = static_cast<std::size_t>(thread);
  const std::size_t groups = groups_, copies = copies_, last = width_ - 1;
  bool goes_on = true;
  call.elements.for_slices(
      start, count, thread, [&](const void* a, const void* b, std::size_t first, std::size_t n) {
        if (!goes_on) return;
        std::size_t inside = 0;
        engine::for_keys(of_.keys, first, n, [&](std::size_t i, std::uint64_t key) {
          const bool is_inside = key < groups;
          slots[i] = static_cast<std::uint32_t>(is_inside ? key * copies + i % sums_in_turn % copies : last);
          inside += is_inside ? 1 : 0;
        });
        sums_.term->add_groups(a, b, slots, n, table(of_thread, 0));
        if (sums_.squares != nullptr) sums_.squares->add_groups(a, a, slots, n, table(of_thread, 1));
        goes_on = progress.goes_on(inside);
      });
}

/// Adds the elements of some groups to the thread's table of these.
void group_table::add_to_some(const column_call& call, const group_range& range, int thread) noexcept {
  progress progress(of_, call.sink.counts_elements());
  std::uint32_t slots[table_slice + group_slots_ahead] = {}, positions[table_slice];
  alignas(64) std::byte first_of_pairs[table_slice * sizeof(double)], second_of_pairs[table_slice * sizeof(double)];
  const bool two = column_.info().inputs == 2, is_float = column_.carrier == element_type::float32;
  const auto pick_elements = is_float ? pick<float> : pick<double>;
  const std::size_t first_group = range.first, groups = range.count;
  bool goes_on = true;
  call.elements.for_slices(
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
        pick_elements(a, positions, found, first_of_pairs);
        if (two) pick_elements(b, positions, found, second_of_pairs);
        const std::byte* const second = two ? second_of_pairs : first_of_pairs;
        sums_.term->add_groups(first_of_pairs, second, slots, found, table(range.thread, 0));
        if (sums_.squares != nullptr) {
          sums_.squares->add_groups(first_of_pairs, first_of_pairs, slots, found, table(range.thread, 1));
        }
        goes_on = progress.goes_on(found);
      });
}

bounded_sum group_table::sum_of(std::size_t slot, std::size_t thread, std::size_t threads, int index,
                                std::size_t n) const noexcept {
  group_sums total;
  for (std::size_t i = thread; i < thread + threads; ++i) {
    const group_sums* const from = table(i, index) + slot * copies_;
    for (std::size_t k = 0; k < copies_; ++k) total = merged(total, from[k]);
  }
  const kernels& kernels = index == 0 ? *sums_.term : *sums_.squares;
  return bounded_column(total.sum, total.error, total.magnitude, total.smallest, n + 2 * threads * copies_,
                        kernels.has_two_part_terms);
}

/// The results of some groups, or that they are open.
void group_table::decide(const column_call& call, const group_range& range) noexcept {
  engine::plan one = column_;
  const bool is_variance = sums_.squares != nullptr;
  const std::size_t first_of_table = range_ == groups_ ? 0 : range.first;
  for (std::size_t group = range.first; group < range.first + range.count; ++group) {
    one.n = of_.group_sizes[group];
    core::decision found{of_nothing_, true};
    if (one.n != 0 && !(is_variance && one.n <= one.ddof)) {
      const std::size_t slot = group - first_of_table;
      const bounded_sum sum = sum_of(slot, range.thread, range.threads, 0, one.n);
      found = is_variance ? decide_moments(one, {sum, sum_of(slot, range.thread, range.threads, 1, one.n)})
                          : decide_column(one.result, one.n, sum);
    }
    call.open[group] = found.certain ? 0 : 1;
    char* const to = call.out + static_cast<std::ptrdiff_t>(group) * of_.out_stride;
    if (found.certain) call.sink.take(call.column * groups_ + group, to, {found.word});
  }
}

}  // namespace exactdot::cpu_engine

// The check of one access for races, inline: compared with the accesses that shadow memory holds, then recorded
// there.
#pragma once

#include <algorithm>
#include <utility>

#include "races.hpp"
#include "unread_marks.hpp"

namespace exactdot::simt {

/// Returns 0 for a plain access, 1 for an atomic of block scope, which does not race with atomics of its block, and
/// 2 for other atomics, which do not race with one another.
inline int tolerance_of(const access_record& access) { return access.atomic ? access.block_scope ? 1 : 2 : 0; }

inline bool is_never_kept(const access_record& access) { return access.asynchronous || access.is_volatile; }

[[gnu::always_inline]] inline bool machine::conflicts(const access_record& earlier, const access_record& current) {
  return earlier.thread != 0 && (earlier.bytes & current.bytes) != 0 && !precedes_in_block(earlier) &&
         conflicts_by_clock(earlier, current);
}

/// Returns whether every later access that races with an earlier one races with the current one too: it is ordered
/// after it, covers its bytes, and is no more tolerated. Copies and volatile accesses are not kept either way.
[[gnu::always_inline]] inline bool machine::stands_for(const access_record& current,
                                                       const access_record& earlier) const {
  if (earlier.thread == 0 || is_never_kept(earlier) || is_never_kept(current)) return true;
  return (earlier.bytes & ~current.bytes) == 0 && tolerance_of(current) <= tolerance_of(earlier) &&
         happens_before_current(earlier);
}

/// Returns an access of these four bytes that races with the current one, and whether it writes; null if none does.
[[gnu::always_inline]] inline std::pair<const access_record*, bool> machine::find_race(region& range,
                                                                                       shadow_cell& cell,
                                                                                       const access_record& current,
                                                                                       bool writes) {
  const earlier_accesses* const earlier = range.earlier_of(cell, false);
  const access_record* other = conflicts(cell.write, current) ? &cell.write : nullptr;
  const auto is_own_read = [&](const access_record& read) { return read.thread == current.thread; };
  if (current.is_volatile && writes && cell.write.is_volatile &&
      std::any_of(std::begin(cell.read), std::end(cell.read), is_own_read)) {
    other = nullptr;  // it has read what the other thread wrote: that read was judged
  }
  if (other == nullptr && earlier != nullptr) {
    if (conflicts(earlier->exclusive_write, current)) other = &earlier->exclusive_write;
  }
  if (other != nullptr || !writes) return {other, true};
  for (const access_record& read : cell.read) {
    if (conflicts(read, current)) other = &read;
  }
  if (other == nullptr && earlier != nullptr) {
    for (const access_record* read : {&earlier->other_warp, &earlier->other_block}) {
      if (conflicts(*read, current)) other = read;
    }
  }
  return {other, false};
}

/// Returns whether a write cannot be part of an update such as `*sum += x`: shadow memory, which has lost nothing,
/// shows no read of the bytes by its thread.
inline bool is_blind(const shadow_cell& cell, const access_record& write) {
  const access_record& last = cell.write;
  const bool knows_all = last.thread == 0 || last.thread == write.thread || (last.blind && !last.after_others);
  return knows_all && cell.read[1].thread == 0 && cell.read[0].thread != write.thread;
}

/// Records a write. `raced`: it was reported, so nothing before it needs to be kept.
[[gnu::always_inline]] inline void machine::record_write(region& range, shadow_cell& cell,
                                                         const access_record& current, bool raced) {
  const bool keeps = !raced && current.atomic && !current.is_volatile;
  // An atomic is not kept behind a later one of its word: a thread that acquires the later one comes after both.
  if (!raced && !stands_for(current, cell.write) && tolerance_of(cell.write) < 2) {
    range.earlier_of(cell, true)->exclusive_write = cell.write;
  }
  const bool blind = is_blind(cell, current), after_others = cell.read[0].thread != 0;
  cell.write = current;
  cell.write.blind = blind, cell.write.after_others = after_others;
  for (access_record& read : cell.read) {
    if (!keeps || stands_for(current, read)) read = {};
  }
  earlier_accesses* const earlier = range.earlier_of(cell, false);
  if (earlier == nullptr) return;
  for (access_record* old : {&earlier->exclusive_write, &earlier->other_warp, &earlier->other_block}) {
    if (raced || stands_for(current, *old)) *old = {};
  }
}

/// Records a read in the place of one that it stands for, else of the second one. That is kept if it is by another
/// warp or block, since a barrier orders a warp, or a block, as a whole.
[[gnu::always_inline]] inline void machine::record_read(region& range, shadow_cell& cell,
                                                        const access_record& current) {
  access_record& first = cell.read[0];
  const bool replaces =
      is_never_kept(first) || is_never_kept(current) ? happens_before_current(first) : stands_for(current, first);
  if (first.thread == 0 || replaces) {
    const bool after_others = first.after_others || (first.thread != 0 && first.thread != current.thread);
    first = current;
    first.after_others = after_others;
    return;
  }
  const access_record replaced = std::exchange(cell.read[1], current);
  if (stands_for(current, replaced)) return;
  const std::uint32_t left = replaced.thread - 1, right = current.thread - 1;
  const bool same_block = left / threads_per_block_ == right / threads_per_block_;
  if (same_block && left % threads_per_block_ / 32 == right % threads_per_block_ / 32) return;
  earlier_accesses& earlier = *range.earlier_of(cell, true);
  (same_block ? earlier.other_warp : earlier.other_block) = replaced;
}

/// Records an access in shadow memory, of each four bytes, and reports the accesses with which it races.
[[gnu::always_inline]] inline void machine::check_races(const location& place, std::size_t size,
                                                        const access_kind& kind, const void* caller) {
  const std::uint32_t launch = memory_.launch();
  const std::uintptr_t address = place.address;
  region& range = *place.range;
  access_record current = record_of(kind, caller);
  const bool whole_words = ((address | size) & 3) == 0;
  bool fenced = !kind.async_proxy;
  if (kind.is_volatile && !kind.write) forget_polled(address, size, caller);
  for (std::uintptr_t word = address / 4 * 4; word < address + size; word += 4) {
    current.bytes = 0xf;
    if (!whole_words) {
      const std::uintptr_t first = std::max(word, address) - word, end = std::min(word + 4, address + size) - word;
      current.bytes = ((1U << end) - (1U << first)) & 0xfU;
    }
    shadow_cell& cell = range.cell_at(word);
    const auto word_place = [&] { return location{place.range, std::max(word, address), place.owner}; };
    if (cell.launch != launch) {
      if (stream_.is_unordered) [[unlikely]]
        check_other_launch(word_place(), kind.name(), current, cell, kind.write);
      cell.clear(launch);
    } else if (kind.write && !other_readers_.empty()) [[unlikely]] {
      check_other_readers(word_place(), kind.name(), current);
    }
    const auto [other, other_writes] = find_race(range, cell, current, kind.write);
    if (other != nullptr) [[unlikely]] {
      current.blind = kind.write && is_blind(cell, current);
      report_conflict(word_place(), kind, current, *other, other_writes);
    } else if (!fenced && cell.write.thread != 0 && !precedes_async_proxy(cell.write)) {
      fenced = true;  // reported once for a copy
      report(fault_kind::missing_proxy_fence, word_place(), kind.name(), caller, &cell.write, "write");
    }
    if (kind.reads()) note_exchange(range, cell.write);
    if (kind.write) {
      record_write(range, cell, current, other != nullptr);
    } else {
      record_read(range, cell, current);
    }
  }
}

}  // namespace exactdot::simt

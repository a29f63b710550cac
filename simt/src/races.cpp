// Data races: each access is compared with those that the shadow memory of its bytes holds (shadow.hpp).
//
// A race is reported if nothing orders the two, whatever the schedule. Shadow memory is bounded, so a run may miss
// a race that another seed shows. It reports no race that is none.
#include <algorithm>
#include <utility>

#include "machine.hpp"

namespace exactdot::simt {
namespace {

/// Returns 0 for a plain access, 1 for an atomic of block scope, which does not race with atomics of its block, and
/// 2 for other atomics, which do not race with one another.
int tolerance_of(const access_record& access) { return access.atomic ? access.block_scope ? 1 : 2 : 0; }

bool is_never_kept(const access_record& access) { return access.asynchronous || access.is_volatile; }

}  // namespace

/// Returns the thread's time for access records; in lock step, its warp's.
std::uint32_t machine::time_of(const thread& member) const {
  return settings_.model == execution::lock_step ? member.parent->warp_steps[member.warp()] : member.time;
}

/// Returns whether an earlier access happens before the current thread's next one.
bool machine::happens_before_current(const access_record& earlier) const {
  if (earlier.asynchronous) [[unlikely]]
    return copy_happens_before_current(earlier);
  const std::uint32_t number = earlier.thread - 1;
  const thread& self = *current_;
  if (number == self.number) return true;
  const std::uint32_t block_number = number / threads_per_block_;
  if (block_number == self.parent->number) {
    if (earlier.generation < self.parent->generation) return true;
    const std::uint32_t index = number % threads_per_block_;
    if (index / 32 == self.warp()) {
      if (settings_.model == execution::lock_step) return earlier.time < time_of(self);
      if (self.lane_times && (*self.lane_times)[index % 32] >= earlier.time) return true;
    }
  }
  return is_covered(earlier, self.clock);
}

bool machine::is_covered(const access_record& earlier, const clock_pointer& clock) const {
  const std::uint32_t number = earlier.thread - 1;
  return clock && (clock->time_of(number) >= earlier.time ||
                   clock->time_of(vector_clock::block_bit | number / threads_per_block_) > earlier.generation);
}

/// Volatile accesses are ordered also by a flag that was read without a fence: they follow in program order.
bool machine::conflicts(const access_record& earlier, const access_record& current) {
  if (earlier.thread == 0 || (earlier.bytes & current.bytes) == 0) return false;
  const bool both_volatile = earlier.is_volatile && current.is_volatile;
  if (earlier.atomic && current.atomic && !both_volatile) {
    const bool same_block = (earlier.thread - 1) / threads_per_block_ == (current.thread - 1) / threads_per_block_;
    if (same_block || (!earlier.block_scope && !current.block_scope)) return false;
  }
  if (happens_before_current(earlier)) return false;
  if (!current.is_volatile || earlier.asynchronous || !is_covered(earlier, current_->observed)) return true;
  accept_used_flags(*current_->parent);
  return false;
}

/// Returns what keeps two conflicting accesses from being ordered.
race_relation machine::relation_to(const access_record& earlier, const access_record& current) const {
  if (earlier.asynchronous) return race_relation::running_copy;
  if (current.asynchronous) return race_relation::early_copy;
  const std::uint32_t left = earlier.thread - 1, right = current.thread - 1;
  if (earlier.atomic && current.atomic && (earlier.block_scope || current.block_scope))
    return race_relation::narrow_scope;
  if (is_covered(earlier, current_->observed)) return race_relation::missing_acquire;
  if (earlier.atomic != current.atomic && !earlier.is_volatile && !current.is_volatile)
    return race_relation::one_atomic;
  if (left / threads_per_block_ != right / threads_per_block_) return race_relation::blocks;
  const std::uint32_t left_warp = left % threads_per_block_ / 32, right_warp = right % threads_per_block_ / 32;
  return left_warp == right_warp ? race_relation::lanes : race_relation::threads;
}

/// Returns the record of an access by the current thread, or by an agent on its behalf.
access_record machine::record_of(const access_kind& kind, const void* caller) const {
  access_record record;
  record.thread = current_->number + 1;
  record.generation = current_->parent->generation;
  record.time = time_of(*current_);
  record.atomic = kind.atomic, record.block_scope = kind.block_scope;
  record.asynchronous = kind.agent != 0, record.is_volatile = kind.is_volatile;
  record.caller = caller;
  if (record.asynchronous) record.generation = kind.agent << 1 | (kind.write ? 1U : 0U);
  return record;
}

/// Returns whether every later access that races with an earlier one races with the current one too: it is ordered
/// after it, covers its bytes, and is no more tolerated. Copies and volatile accesses are not kept either way.
bool machine::stands_for(const access_record& current, const access_record& earlier) const {
  if (earlier.thread == 0 || is_never_kept(earlier) || is_never_kept(current)) return true;
  return (earlier.bytes & ~current.bytes) == 0 && tolerance_of(current) <= tolerance_of(earlier) &&
         happens_before_current(earlier);
}

/// Returns an access of these four bytes that races with the current one, and whether it writes; null if none does.
std::pair<const access_record*, bool> machine::find_race(region& range, shadow_cell& cell,
                                                         const access_record& current, bool writes) {
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

/// Records a write. `raced`: it was reported, so nothing before it needs to be kept.
void machine::record_write(region& range, shadow_cell& cell, const access_record& current, bool raced) {
  const bool keeps = !raced && current.atomic && !current.is_volatile;
  // An atomic is not kept behind a later one of its word: a thread that acquires the later one comes after both.
  if (!raced && !stands_for(current, cell.write) && tolerance_of(cell.write) < 2) {
    range.earlier_of(cell, true)->exclusive_write = cell.write;
  }
  cell.write = current;
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
void machine::record_read(region& range, shadow_cell& cell, const access_record& current) {
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

void machine::check_races(const location& place, std::size_t size, const access_kind& kind, const void* caller) {
  const std::uint32_t launch = device_memory::instance().launch();
  const std::uintptr_t address = place.address;
  access_record current = record_of(kind, caller);
  bool fenced = !kind.async_proxy;
  if (kind.is_volatile && !kind.write) forget_polled(address, size, caller);
  for (std::uintptr_t word = address / 4 * 4; word < address + size; word += 4) {
    current.bytes = 0;
    for (unsigned i = 0; i < 4; ++i) {
      if (word + i >= address && word + i < address + size) current.bytes = (current.bytes | 1U << i) & 0xfU;
    }
    shadow_cell& cell = place.range->cell_at(word);
    if (cell.launch != launch) cell = {launch, 0, {}, {}};
    const auto [other, other_writes] = find_race(*place.range, cell, current, kind.write);
    const location word_place{place.range, std::max(word, address), place.owner};
    if (other != nullptr) {
      if (kind.is_volatile && other->is_volatile && kind.write != other_writes) {
        note_volatile_conflict(word_place, current, kind.write, *other);
      } else {
        report_race(word_place, kind.name(), current, *other,
                    other->asynchronous                    ? agent(other->generation >> 1).action(other_writes)
                    : !other_writes                        ? "read"
                    : other->atomic && !other->is_volatile ? "atomic"
                                                           : "write",
                    relation_to(*other, current));
      }
    } else if (!fenced && cell.write.thread != 0 && !precedes_async_proxy(cell.write)) {
      fenced = true;  // reported once for a copy
      report(fault_kind::missing_proxy_fence, word_place, kind.name(), caller, &cell.write, "write");
    }
    if (kind.reads()) note_exchange(*place.range, cell.write);
    if (kind.write) {
      record_write(*place.range, cell, current, other != nullptr);
    } else {
      record_read(*place.range, cell, current);
    }
  }
}

}  // namespace exactdot::simt

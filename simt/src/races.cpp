// Data races: each access is compared with those that the shadow memory of its bytes holds (shadow.hpp).
//
// A race is reported if nothing orders the two, whatever the schedule. Shadow memory is bounded, so a run may miss
// a race that another seed shows. It reports no race that is none.
#include "races.hpp"

namespace exactdot::simt {

bool machine::clock_covers(const access_record& earlier, const vector_clock& clock) const {
  const std::uint32_t number = earlier.thread - 1;
  return clock.time_of(number) >= earlier.time ||
         clock.time_of(vector_clock::block_bit | number / threads_per_block_) > earlier.generation;
}

/// Whether two accesses to the same bytes conflict, which the block's barriers do not order. Volatile accesses are
/// ordered also by a flag that was read without a fence: they follow in program order.
bool machine::conflicts_by_clock(access_record earlier, access_record current) {
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

/// Reports a race, or keeps it until it is known whether the word is a flag. `current` is a copy: the record itself
/// stays in registers.
void machine::report_conflict(const location& place, const access_kind& kind, access_record current,
                              const access_record& other, bool other_writes) {
  if (kind.is_volatile && other.is_volatile && kind.write != other_writes)
    return note_volatile_conflict(place, current, kind.write, other);
  report_race(place, kind.name(), current, other,
              other.asynchronous                   ? agent(other.generation >> 1).action(other_writes)
              : !other_writes                      ? "read"
              : other.atomic && !other.is_volatile ? "atomic"
                                                   : "write",
              relation_to(other, current));
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

}  // namespace exactdot::simt

// Happens-before order between a recorded access and the current thread, inline: asked several times at each
// access.
#pragma once

#include "machine.hpp"

namespace exactdot::simt {

/// Returns the thread's time for access records; in lock step, its warp's.
inline std::uint32_t machine::time_of(const thread& member) const {
  return settings_.model == execution::lock_step ? member.parent->warp_steps[member.warp()] : member.time;
}

inline bool machine::is_covered(const access_record& earlier, const clock_pointer& clock) const {
  return clock && clock_covers(earlier, *clock);
}

/// Returns whether an earlier access is one of the current thread's, or comes before the block's last barrier.
inline bool machine::precedes_in_block(const access_record& earlier) const {
  const thread& self = *current_;
  const std::uint32_t index = earlier.thread - 1 - (self.number - self.index_in_block);  // if it is of this block
  return earlier.asynchronous == 0 &&
         (index == self.index_in_block ||
          (index < threads_per_block_ && earlier.generation < self.parent->generation));
}

/// Returns whether an earlier access happens before the current thread's next one.
inline bool machine::happens_before_current(const access_record& earlier) const {
  if (earlier.asynchronous) [[unlikely]]
    return copy_happens_before_current(earlier);
  if (precedes_in_block(earlier)) return true;
  const thread& self = *current_;
  const std::uint32_t index = earlier.thread - 1 - (self.number - self.index_in_block);
  if (index < threads_per_block_ && index / 32 == self.warp()) {
    if (settings_.model == execution::lock_step) return earlier.time < time_of(self);
    if (self.lane_times && (*self.lane_times)[index % 32] >= earlier.time) return true;
  }
  return is_covered(earlier, self.clock);
}

/// Returns the record of an access by the current thread, or by an agent on its behalf.
[[gnu::always_inline]] inline access_record machine::record_of(const access_kind& kind, const void* caller) const {
  access_record record;
  record.thread = current_->number + 1;
  record.generation = current_->parent->generation;
  record.time = time_of(*current_);
  record.atomic = kind.atomic, record.block_scope = kind.block_scope;
  record.asynchronous = kind.agent != 0, record.is_volatile = kind.is_volatile;
  record.site = site_of_address(caller).number;
  if (record.asynchronous) record.generation = kind.agent << 1 | (kind.write ? 1U : 0U);
  return record;
}

}  // namespace exactdot::simt

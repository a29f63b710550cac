// What the notes of unread data need to know of each access, inline (unread.cpp).
#pragma once

#include <utility>

#include "machine.hpp"
#include "races.hpp"

namespace exactdot::simt {

/// Orders accesses of a thread, as far as barriers and __syncwarp separate them.
inline std::uint64_t moment_of(std::uint32_t generation, std::uint32_t time) {
  return std::uint64_t{generation} << 32 | time;
}

/// A thread reads what another one has written.
inline void machine::note_exchange(const region& range, const access_record& written) {
  if (!range.shared || written.thread == 0 || written.thread == current_->number + 1) return;
  const std::uint32_t index = written.thread - 1 - (current_->number - current_->index_in_block);
  if (index < threads_per_block_) current_->parent->was_read[index] = 1;
}

/// The current thread does something that others can see.
inline void machine::note_seen() {
  current_->seen_at = moment_of(current_->parent->generation, time_of(*current_));
}

/// A thread writes.
inline void machine::note_result(const region& range, const access_kind& kind) {
  if (!range.shared || kind.atomic || kind.agent != 0) return note_seen();
  thread& self = *current_;
  self.shared_writes[0] = std::exchange(self.shared_writes[1], moment_of(self.parent->generation, time_of(self)));
}

}  // namespace exactdot::simt

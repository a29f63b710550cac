// Repeated accesses, inline: each access is compared with the thread's last ones.
#pragma once

#include <algorithm>
#include <cstring>

#include "machine.hpp"

namespace exactdot::simt {

/// Returns the first bytes at an address, 8 at most.
inline std::uint64_t content_at(std::uintptr_t address, std::size_t size) {
  const auto* const at = reinterpret_cast<const void*>(address);
  std::uint64_t content = 0;
  if (size == 4) {
    std::memcpy(&content, at, 4);
  } else if (size >= 8) {
    std::memcpy(&content, at, 8);
  } else {
    std::memcpy(&content, at, size);
  }
  return content;
}

/// Parks the current thread if it repeats its last accesses: the same callers, places and contents. In lock step
/// it may be parked before its next step. `address`: where the content is for this block. Returns whether the
/// thread was parked meanwhile.
inline bool machine::detect_repetition(const location& place, std::uintptr_t address, std::size_t size,
                                       const void* caller) {
  thread& self = *current_;
  self.last_address = place.address;
  const recent_accesses::novelty fresh = self.recent.add({caller, place.address, content_at(address, size)});
  if (fresh != recent_accesses::novelty::place) return note_known_place(fresh, caller);
  note_progress();
  return false;
}

}  // namespace exactdot::simt

// Unordered volatile accesses: which of them are a flag, and which are a race.
//
// volatile orders nothing, but a volatile flag with fences does, though its own accesses are unordered. So a
// conflict of a volatile read with a volatile write waits until the end of the reader's block. It is a race unless
//   the thread reads the same address again before it could go on (it polls; the next read is judged);
//   the read came first, and the writer had a fence before the write: the reader saw the word before it was set;
//   the writer had a fence before the write, and the reader has one after the read, or a volatile access that is
//   ordered by having read the flag (CUDA C++ Programming Guide, "Memory Fence Functions": the sum of all blocks);
//   a race of the same two sides follows, whose data the flag guards: that one is reported.
// Two unordered volatile writes are a race at once, unless the second thread has read what the first one wrote.
#include <algorithm>
#include <utility>

#include "machine.hpp"

namespace exactdot::simt {
/// A conflict of the current access with an earlier one, both volatile, one a read.
void machine::note_volatile_conflict(const location& place, const access_record& current, bool writes,
                                     const access_record& other) {
  const access_record& read = writes ? other : current;
  const access_record& write = writes ? current : other;
  const std::uint32_t reader = read.thread - 1, writer = write.thread - 1;
  const bool same_block = reader / threads_per_block_ == writer / threads_per_block_;
  volatile_conflict found{place, read, write, !writes, false, relation_to(other, current)};
  if (writes) {
    if ((same_block ? current_->released_in_block : current_->released) != nullptr) return;
  } else {
    found.released = released_volatile(place, writer);
    forget_explained(reader, writer);  // what this thread read before was the flag
  }
  if (stream_.known_faults.contains({fault_kind::data_race, current.caller(), other.caller(), ""}))
    return report_volatile(found);
  const auto parent = std::find_if(resident_.begin(), resident_.end(), [&](const auto& resident) {
    return resident->number == reader / threads_per_block_;
  });
  if (parent == resident_.end()) return report_volatile(found);
  auto& reads = (*parent)->threads[reader % threads_per_block_].volatiles;
  if (!reads) reads = std::make_unique<volatile_reads>();
  const auto is_same = [&](const volatile_conflict& flag) {
    return flag.place.address == place.address && flag.write.thread == write.thread &&
           flag.write.time == write.time;
  };
  if (std::any_of(reads->flags.begin(), reads->flags.end(), is_same)) return;
  if (reads->unexplained.size() < volatile_reads::max_unexplained) reads->unexplained.push_back(found);
  (*parent)->has_unexplained = true;
}

/// The current thread reads a place again.
void machine::forget_polled(std::uintptr_t address, std::size_t size, const void* caller) {
  if (!current_->volatiles) return;
  std::erase_if(current_->volatiles->unexplained, [&](const volatile_conflict& earlier) {
    return !earlier.read_is_later && earlier.place.address - address < size && earlier.read.caller() == caller;
  });
}

/// The current thread executes a fence.
void machine::accept_fenced_flags(bool block_scope) {
  if (!current_->volatiles) return;
  current_->volatiles->accept_if([&](const volatile_conflict& earlier) {
    const bool same_block = (earlier.write.thread - 1) / threads_per_block_ == current_->parent->number;
    return earlier.released && (same_block || !block_scope);
  });
}

/// An access of this block was ordered by a flag that it has read without a fence.
void machine::accept_used_flags(block& parent) {
  if (!parent.has_unexplained) return;
  for (thread& member : parent.threads) {
    if (member.volatiles)
      member.volatiles->accept_if([](const volatile_conflict& earlier) { return earlier.released; });
  }
}

/// A race of these two threads follows: what the reader's block had read from the writer's was a flag.
void machine::forget_explained(std::uint32_t number, std::uint32_t other) {
  const std::uint32_t block_number = number / threads_per_block_, other_block = other / threads_per_block_;
  for (const auto& resident : resident_) {
    if (resident->number != block_number || !resident->has_unexplained) continue;
    for (thread& member : resident->threads) {
      if (!member.volatiles || (block_number == other_block && member.number != number)) continue;
      std::erase_if(member.volatiles->unexplained, [&](const volatile_conflict& earlier) {
        const std::uint32_t writer = earlier.write.thread - 1;
        return block_number == other_block ? writer == other : writer / threads_per_block_ == other_block;
      });
    }
  }
}

/// Returns whether the last volatile write at a place, by this thread, followed a fence.
bool machine::released_volatile(const location& place, std::uint32_t writer) const {
  const auto has = [&](const auto& clocks) {
    const auto at = clocks.find(place.address);
    return at != clocks.end() && at->second != nullptr;
  };
  const block& parent = *current_->parent;
  const block& home = place.owner != nullptr ? *place.owner : parent;
  return (writer / threads_per_block_ == parent.number && has(parent.released_clocks)) ||
         has(home.cluster_clocks) || has(released_clocks_);
}

void machine::report_volatile_conflicts(block& finished) {
  if (!finished.has_unexplained) return;
  for (thread& member : finished.threads) {
    if (!member.volatiles) continue;
    for (const volatile_conflict& left : std::exchange(member.volatiles->unexplained, {})) report_volatile(left);
  }
}

void machine::report_volatile(const volatile_conflict& found) {
  const access_record& current = found.read_is_later ? found.read : found.write;
  const access_record& other = found.read_is_later ? found.write : found.read;
  report_race(found.place, found.read_is_later ? "read" : "write", current, other,
              found.read_is_later ? "write" : "read", found.relation);
}

}  // namespace exactdot::simt

// Detection of spinning threads and of livelocks.
//
// A thread that repeats its last accesses, up to four different ones, with the same results is parked until one of
// the addresses changes. If no thread is ready, all parked threads resume, so parking a thread that does not wait
// costs time but no correctness. In lock step the lanes of a step are parked together or not at all, and resumed
// together: otherwise some would be an iteration ahead of the others. A livelock is reported after spin_budget
// rounds, and 1000 times as many steps, without progress.
#include <algorithm>
#include <bit>
#include <cstring>

#include "machine.hpp"

namespace exactdot::simt {

namespace {
constexpr int rounds_before_parking = 3;
}  // namespace

void machine::park(thread& self) {
  self.status = thread_status::parked;
  remove_ready(self);
  if (recording_) recording_->turn_into_spin(self.number);
  self.parked_at.clear();
  for (std::size_t i = 0; i < self.recent.size; ++i) {
    const std::uintptr_t address = self.recent.list[i].address;
    if ((self.recent.repeated >> i & 1U) != 0 &&
        std::find(self.parked_at.begin(), self.parked_at.end(), address) == self.parked_at.end())
      self.parked_at.push_back(address);
  }
  for (const std::uintptr_t address : self.parked_at) parked_[address].push_back(&self);
}

void machine::unpark(std::uintptr_t address) {
  const auto at = parked_.find(address);
  if (at == parked_.end()) return;
  const std::vector<thread*> resumed = std::move(at->second);
  parked_.erase(at);
  for (thread* const waiting : resumed) {
    if (settings_.model == execution::independent) {
      resume_parked(*waiting);
      continue;
    }
    const std::uint32_t first = waiting->warp() * 32, end = std::min(first + 32, threads_per_block_);
    for (std::uint32_t i = first; i < end; ++i) {
      thread& lane = waiting->parent->threads[i];
      if (lane.status == thread_status::parked) resume_parked(lane);
    }
  }
}

void machine::resume_parked(thread& waiting) {
  for (const std::uintptr_t address : waiting.parked_at) {
    const auto list = parked_.find(address);
    if (list == parked_.end()) continue;
    std::erase(list->second, &waiting);
    if (list->second.empty()) parked_.erase(list);
  }
  waiting.recent.may_park = false;
  make_ready(waiting);
}

void machine::memory_changed(std::uintptr_t address) {
  note_progress();
  if (parked_.empty()) return;
  unpark(blocks_per_cluster_ == 1 ? address : locate(address, 1).address);
}

bool machine::resume_or_settle() {
  if (complete_earliest_copy()) return true;
  if (!parked_.empty()) {
    if (++idle_rounds_ > settings_.spin_budget && steps_ - last_progress_ > 1000 * settings_.spin_budget) {
      report_hang(fault_kind::livelock);
      return true;
    }
    constexpr std::uint64_t clocks = 1000;  // nothing but time can end the waits: their deadlines come sooner
    idle_clocks_ += idle_rounds_ * clocks;
    while (!parked_.empty()) unpark(parked_.begin()->first);
    return true;
  }
  bool settled = false;
  for (auto& resident : resident_) {
    settled |= settle_collectives(*resident);
    settled |= settle_tiles(*resident);
  }
  if (settled) return true;
  for (auto& members : clusters_) settled |= settle_cluster_barrier(*members);
  return settled;
}

/// Parks the current thread if it repeats its last accesses: the same callers, places and contents. In lock step
/// it may be parked before its next step. `address`: where the content is for this block.
bool machine::detect_repetition(const location& place, std::uintptr_t address, std::size_t size,
                                const void* caller) {
  thread& self = *current_;
  std::uint64_t content = 0;
  std::memcpy(&content, reinterpret_cast<const void*>(address), std::min<std::size_t>(size, sizeof content));
  self.last_address = place.address;
  if (self.recent.add({caller, place.address, content})) {
    note_progress();
  } else if (self.recent.repeats >= rounds_before_parking * std::popcount(self.recent.repeated)) {
    if (settings_.model == execution::lock_step) {  // choose_in_lock_step() parks the lanes of the step
      self.recent.may_park = true, self.repeated_by = attributed(self, caller);
      return false;
    }
    park(self);
    yield();
    return true;
  }
  return false;
}

/// Returns a parked thread that spins on other addresses; null if there is none.
const thread* machine::other_spinning(const thread& spinning) const {
  for (const auto& [address, waiting] : parked_) {
    const auto& known = spinning.parked_at;
    if (std::find(known.begin(), known.end(), address) == known.end()) return waiting.front();
  }
  return nullptr;
}

void machine::report_hang(fault_kind kind) {
  if (ended_) return;
  ended_ = true;
  stream_.ended_by = kind;
  if (report_stuck_mbarrier()) return;
  // Reports a parked thread; preferably one whose warp holds back a lane that is ready.
  const auto held_back = [&](const thread& spinning) -> const thread* {
    for (const thread& lane : spinning.parent->threads) {
      if (lane.status == thread_status::ready && lane.warp() == spinning.warp() &&
          settings_.model == execution::lock_step)
        return &lane;
    }
    return nullptr;
  };
  const thread* spinning = nullptr;
  const thread* other = nullptr;
  for (const auto& [address, waiting] : parked_) {
    for (const thread* candidate : waiting) {
      if (spinning == nullptr || other == nullptr) spinning = candidate, other = held_back(*candidate);
    }
  }
  if (spinning == nullptr) spinning = current_;
  const char* other_action = "wait for the other lanes of the warp";
  if (other == nullptr) other = other_spinning(*spinning), other_action = "spin loop";
  report_waiting(kind, *spinning, "spin loop", other, other_action);
}

}  // namespace exactdot::simt

// Detection of spinning threads and of livelocks.
//
// A thread that repeats the same access with the same result is parked until that address changes. If no thread is
// ready, all parked threads resume, so parking a thread that does not wait costs time but no correctness. A
// livelock is reported after spin_budget rounds, and 1000 times as many steps, without progress.
#include <algorithm>
#include <cstring>

#include "machine.hpp"

namespace exactdot::simt {

namespace {
constexpr int repeats_before_parking = 3;
}  // namespace

void machine::park(std::uintptr_t address) {
  current_->status = thread_status::parked;
  remove_ready(*current_);
  parked_[address].push_back(current_);
  yield();
}

void machine::unpark(std::uintptr_t address) {
  const auto at = parked_.find(address);
  if (at == parked_.end()) return;
  for (thread* waiting : at->second) make_ready(*waiting);
  parked_.erase(at);
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
  for (auto& resident : resident_) settled |= settle_collectives(*resident);
  if (settled) return true;
  for (auto& members : clusters_) settled |= settle_cluster_barrier(*members);
  return settled;
}

/// Parks the current thread if its last accesses had the same caller, place and content. `address`: where the
/// content is for this block.
void machine::detect_repetition(const location& place, std::uintptr_t address, std::size_t size,
                                const void* caller) {
  thread& self = *current_;
  std::uint64_t content = 0;
  std::memcpy(&content, reinterpret_cast<const void*>(address), std::min<std::size_t>(size, sizeof content));
  if (self.last_caller == caller && self.last_address == place.address && self.last_content == content) {
    if (++self.repeats >= repeats_before_parking) park(place.address);
    return;
  }
  self.last_caller = caller, self.last_address = place.address, self.last_content = content;
  self.repeats = 0;
  note_progress();
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
  for (const auto& [address, waiting] : parked_) {  // otherwise a thread that spins on another address
    if (other == nullptr && address != spinning->last_address) other = waiting.front(), other_action = "spin loop";
  }
  report_waiting(kind, *spinning, "spin loop", other, other_action);
}

}  // namespace exactdot::simt

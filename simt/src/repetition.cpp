// Threads that only repeat themselves: they are parked until the memory they look at changes, and when nobody can
// do anything else for long enough the launch is given up as a livelock.
//
// Parking is a guess, and harmless: whenever no other thread can go on, the parked ones are woken for more.
#include <algorithm>
#include <cstring>

#include "machine.hpp"

namespace exactdot::simt {

namespace {
constexpr int repeats_before_parking = 3;
}  // namespace

void machine::park(std::uintptr_t address) {
  current_->now = state::parked;
  remove_ready(*current_);
  parked_[address].push_back(current_);
  yield();
}

void machine::unpark(std::uintptr_t address) {
  const auto at = parked_.find(address);
  if (at == parked_.end()) return;
  for (thread* one : at->second) make_ready(*one);
  parked_.erase(at);
}

void machine::changed(std::uintptr_t address) {
  progress();
  if (!parked_.empty()) unpark(address);
}

bool machine::unstick() {
  if (!parked_.empty()) {
    if (++rounds_in_vain_ > how_.spin_budget && steps_ - last_progress_ > 1000 * how_.spin_budget) {
      give_up(fault_kind::livelock);
      return true;
    }
    while (!parked_.empty()) unpark(parked_.begin()->first);
    return true;
  }
  bool settled = false;
  for (auto& one : resident_) settled |= settle_exchanges(*one);
  return settled;
}

/// A thread that sees the same content at the same address from the same place, again and again, waits for another
/// to change it.
void machine::notice_repetition(std::uintptr_t address, std::size_t size, const void* caller) {
  thread& self = *current_;
  std::uint64_t content = 0;
  std::memcpy(&content, reinterpret_cast<const void*>(address), std::min<std::size_t>(size, sizeof content));
  if (self.last_place == caller && self.last_address == address && self.last_content == content) {
    if (++self.repeats >= repeats_before_parking) park(address);
    return;
  }
  self.last_place = caller, self.last_address = address, self.last_content = content;
  self.repeats = 0;
  progress();
}

void machine::give_up(fault_kind kind) {
  if (given_up_) return;
  given_up_ = true;
  // A thread that repeats itself; best one whose warp holds another lane back that could go on.
  const auto held_back = [&](const thread& spinning) -> const thread* {
    for (const thread& one : spinning.home->threads) {
      if (one.now == state::ready && one.warp() == spinning.warp() && how_.model == execution::lock_step)
        return &one;
    }
    return nullptr;
  };
  const thread* here = nullptr;
  const thread* other = nullptr;
  for (const auto& [address, waiting] : parked_) {
    for (const thread* one : waiting) {
      if (here == nullptr || other == nullptr) here = one, other = held_back(*one);
    }
  }
  if (here == nullptr) here = current_;
  const char* does = "waits for the other lanes of its warp";
  for (const auto& [address, waiting] : parked_) {  // else one that waits for something else
    if (other == nullptr && address != here->last_address) other = waiting.front(), does = "spins";
  }
  report_waiting(kind, *here, "spins", other, does);
}

}  // namespace exactdot::simt

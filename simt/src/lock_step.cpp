// The scheduler's other model: lock step.
//
// It draws a warp and runs the lanes with the lowest program counter. A lane that is ahead waits for those behind:
// reconvergence without a divergence stack (S. Collange, "Stack-less SIMT reconvergence at low cost", 2011, §3). It
// reproduces warps before Volta, where a lane that holds a lock waits for the lanes that spin on it.
#include <algorithm>
#include <functional>

#include "step.hpp"

namespace exactdot::simt {
namespace {

/// Compares the positions of two threads: call sites from the outermost inwards, then the program counter. Returns
/// -1 if the left one is lower, 0 if they are equal, else 1.
int compare_positions(const thread& left, const thread& right) {
  const std::size_t depth = std::max(left.calls.size(), right.calls.size()) + 1;
  for (std::size_t i = 0; i < depth; ++i) {
    const auto address_at = [i](const thread& side) {
      return i < side.calls.size() ? side.calls[i] : i == side.calls.size() ? side.program_counter : nullptr;
    };
    if (address_at(left) != address_at(right)) return std::less<>()(address_at(left), address_at(right)) ? -1 : 1;
  }
  return 0;
}

bool are_together(const thread& left, const thread& right) {
  return left.program_counter == right.program_counter && left.calls == right.calls;
}

}  // namespace

/// Has the lanes at the lowest position of a warp be those of the next step, of those lanes that do not wait.
void machine::find_lowest_lanes(const block& parent, std::size_t warp) {
  const std::size_t end = std::min<std::size_t>(warp * 32 + 32, threads_per_block_);
  const thread* lowest = nullptr;
  for (std::size_t k = warp * 32; k < end; ++k) {
    const thread& lane = parent.threads[k];
    if (lane.status != thread_status::ready && lane.status != thread_status::parked) continue;
    const int order = lowest == nullptr ? -1 : are_together(lane, *lowest) ? 0 : compare_positions(lane, *lowest);
    if (order > 0) continue;
    if (order < 0) lowest = &lane, step_lanes_.clear();
    if (lane.status == thread_status::ready) step_lanes_.push_back(static_cast<std::uint32_t>(k));
  }
}

bool machine::choose_in_lock_step() {
  if (choose_lane()) return true;
  const std::size_t first = random_() % resident_.size();
  for (std::size_t i = 0; i < resident_.size(); ++i) {
    block& parent = *resident_[(first + i) % resident_.size()];
    const std::size_t warps = parent.warp_steps.size(), first_warp = random_() % warps;
    for (std::size_t j = 0; j < warps && !parent.ready.empty(); ++j) {
      const std::size_t warp = (first_warp + j) % warps;
      find_lowest_lanes(parent, warp);
      if (park_step(parent)) continue;  // the lanes at the lowest position are parked: the warp cannot run
      step_mask_ = 0;
      for (const std::uint32_t k : step_lanes_) step_mask_ |= 1U << k % 32;
      random_.shuffle(step_lanes_);
      ++parent.warp_steps[warp];
      step_block_ = &parent;
      return choose_lane();
    }
  }
  return false;
}

/// Parks the lanes of the next step if all of them repeat themselves. Returns whether none is left.
bool machine::park_step(block& parent) {
  const auto may_park = [&](std::uint32_t i) { return parent.threads[i].recent.may_park; };
  if (!std::all_of(step_lanes_.begin(), step_lanes_.end(), may_park)) return false;
  for (const std::uint32_t i : step_lanes_) park(parent.threads[i]);
  step_lanes_.clear();
  return true;
}

/// Lock step: takes a step and returns its lanes. Independent threads: returns the caller's lane only.
std::uint32_t machine::active_mask(const void* caller) {
  if (settings_.model == execution::independent) return 1U << current_->lane();
  step(caller);
  return step_mask_;
}

}  // namespace exactdot::simt

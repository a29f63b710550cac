// Warp collectives, fences, and the exit of a thread. barrier.cpp has the barriers of a block.
//
// A warp collective completes when all non-exited lanes of its mask have arrived (CUDA C++ Programming Guide, "Warp
// Shuffle Functions"); if no thread can run, it completes with the lanes that have.
#include <algorithm>
#include <array>
#include <bit>

#include "machine.hpp"
#include "races.hpp"
#include "step.hpp"
#include "symbols.hpp"
#include "unread_marks.hpp"

namespace exactdot::simt {
/// A function returns. Notes its last two basic blocks if it is the kernel: the last such function that headers or
/// the simulator call, before code of theirs.
void machine::leave_function() {
  thread& self = *current_;
  if (self.calls.empty()) return;
  visited_blocks& visited = self.visited;
  const bool by_user = self.calls.size() > 1 && is_user_code(self.calls.back());
  if (!by_user && visited.last != visited.exit && (visited.exit == nullptr || is_user_code(visited.last)))
    visited.exit = visited.last, visited.before_exit = visited.before_last;
  self.calls.pop_back();
}

/// For a thread at a warp collective: the lanes at the same one, and the non-exited lanes of its mask.
collective_lanes machine::lanes_of_collective(const thread& member) const {
  const std::uint32_t first = member.warp() * 32;
  const std::uint32_t width = std::min(32U, threads_per_block_ - first);
  collective_lanes lanes{};
  for (std::uint32_t i = 0; i < width; ++i) {
    const thread& lane = member.parent->threads[first + i];
    if (lane.status == thread_status::at_collective && lane.mask == member.mask && lane.kind == member.kind)
      lanes.arrived |= 1U << i;
    if (lane.status != thread_status::exited) lanes.expected |= member.mask & 1U << i;
  }
  return lanes;
}

std::uint32_t machine::warp_collective(detail::collective_kind kind, std::uint32_t mask, std::uint64_t value,
                                       std::uint64_t* values, const void* caller) {
  static constexpr const char* names[] = {"shuffle", "vote", "match", "reduction", "__syncwarp"};  // by kind
  step(caller);
  if (costs_) note_cost(cost_kind::collective, 0, 0, caller);
  if (recording_) record_step(step_kind::collective, names[static_cast<int>(kind)], caller);
  thread& self = *current_;
  block& parent = *self.parent;
  self.kind = kind, self.operation = names[static_cast<int>(kind)];
  self.mask = mask, self.value = value, self.values = values;
  self.collective_at = caller;
  if (values != nullptr) note_seen();
  self.status = thread_status::at_collective;
  remove_ready(self);
  note_meeting(self, value, caller);
  const collective_lanes lanes = lanes_of_collective(self);
  if ((mask >> self.lane() & 1U) == 0) {
    report_waiting(fault_kind::missing_lanes, self, self.operation, &self, "mask without the calling lane");
    complete_collective(parent, self.warp(), 1U << self.lane());
  } else if ((lanes.expected & ~lanes.arrived) == 0) {
    check_exited_lanes(self, lanes.arrived);
    complete_collective(parent, self.warp(), lanes.arrived);
  } else {
    yield();
  }
  ++stream_.counted.warp_collectives;
  return self.arrived_mask;
}

void machine::complete_collective(block& parent, std::uint32_t warp, std::uint32_t lanes) {
  thread* const first = &parent.threads[std::size_t{warp} * 32];
  if (recording_) recording_->note_consequence(first->number, step_kind::completed, lanes);
  std::array<std::uint32_t, 32> times{};
  clock_pointer clock, released, released_in_block, observed;
  for (std::uint32_t i = 0; i < 32; ++i) {
    if ((lanes >> i & 1U) == 0) continue;
    if (first[i].lane_times) {
      for (std::size_t j = 0; j < 32; ++j) times[j] = std::max(times[j], (*first[i].lane_times)[j]);
    }
    times[i] = std::max(times[i], first[i].time);
    clock = join(clock, first[i].clock);
    released = join(released, first[i].released);
    released_in_block = join(released_in_block, first[i].released_in_block);
    observed = join(observed, first[i].observed);
  }
  for (std::uint32_t i = 0; i < 32; ++i) {
    if ((lanes >> i & 1U) == 0) continue;
    thread& lane = first[i];
    lane.arrived_mask = lanes;
    if (lane.values == nullptr) {  // __syncwarp orders memory, the other collectives do not
      lane.lane_times = std::make_unique<std::array<std::uint32_t, 32>>(times);
      lane.clock = clock, lane.released = released, lane.released_in_block = released_in_block;
      lane.observed = observed;
      ++lane.time;
    } else {
      for (std::uint32_t j = 0; j < 32; ++j) lane.values[j] = (lanes >> j & 1U) != 0 ? first[j].value : 0;
    }
    make_ready(lane);
  }
}

/// A collective completes without lanes of its mask that have exited. It is a fault if one of them called the same
/// collective at the same place with another mask: all lanes of a mask must call it with that mask.
void machine::check_exited_lanes(const thread& waiting, std::uint32_t arrived) {
  for (std::uint32_t rest = waiting.mask & ~arrived; rest != 0; rest &= rest - 1) {
    const std::uint32_t index = waiting.warp() * 32 + std::countr_zero(rest);
    if (index >= threads_per_block_) return;
    const thread& lane = waiting.parent->threads[index];
    const bool same_place = lane.collective_at == waiting.collective_at ||
                            (lane.collective_at != nullptr && is_user_code(lane.collective_at) &&
                             same_line(lane.collective_at, waiting.collective_at));
    if (!same_place || lane.kind != waiting.kind || lane.mask == waiting.mask) continue;
    report_waiting(fault_kind::missing_lanes, waiting, waiting.operation, &lane, "the same with another mask");
    return;
  }
}

/// Reports and completes the incomplete warp collectives of a block. Returns whether there were any.
bool machine::settle_collectives(block& parent) {
  bool settled = false;
  for (std::uint32_t i = 0; i < threads_per_block_; ++i) {
    const thread& waiting = parent.threads[i];
    if (waiting.status != thread_status::at_collective) continue;
    const collective_lanes lanes = lanes_of_collective(waiting);
    const std::uint32_t first_missing = std::countr_zero(lanes.expected & ~lanes.arrived);
    const thread& missing = parent.threads[waiting.warp() * 32 + first_missing];
    report_waiting(fault_kind::missing_lanes, waiting, waiting.operation, &missing, missing.operation);
    complete_collective(parent, waiting.warp(), lanes.arrived);
    settled = true;
  }
  return settled;
}

void machine::thread_exited(thread& finished) {
  block& parent = *finished.parent;
  if (recording_) recording_->note_exit(finished.number, recorded_turn());
  finished.status = thread_status::exited;
  remove_ready(finished);
  ++parent.exited;
  parent.last_exited = finished.index_in_block;
  if (stream_.cooperative && finished.index_in_block == 0) {
    const void* const before = finished.visited.before_exit;
    exited_leaders_.push_back(
        {finished.number, before != nullptr ? before : attributed(finished, finished.position)});
  }
  note_progress();
  const std::uint32_t first = finished.warp() * 32, end = std::min(first + 32, threads_per_block_);
  for (std::uint32_t i = first; i < end; ++i) {  // completes collectives that waited for this lane only
    const thread& lane = parent.threads[i];
    if (lane.status != thread_status::at_collective) continue;
    const collective_lanes lanes = lanes_of_collective(lane);
    if ((lanes.expected & ~lanes.arrived) != 0) continue;
    check_exited_lanes(lane, lanes.arrived);
    complete_collective(parent, lane.warp(), lanes.arrived);
  }
  for (auto& [key, tile] : parent.tiles) release_tile_if_complete(parent, tile);
  if (parent.waiting != 0 && parent.waiting + parent.exited == threads_per_block_) release_barrier(parent);
  thread_left_cluster(finished);
}

/// Of a barrier of the grid, which the first thread of each block takes part in: reports the blocks that never
/// reach it. Returns how many there are.
unsigned machine::report_missing_blocks(const char* operation, const void* caller) {
  const thread& self = *current_;
  if (!exited_leaders_.empty()) {
    const auto& [number, last_place] = exited_leaders_.front();
    const void* const site = attributed(self, caller);
    if (fault* const found = add_fault(fault_kind::barrier_divergence, site, nullptr, operation, "exit")) {
      found->site = site_of(self.number, operation, site);
      found->other_site = site_of(number, "exit", last_place);
      found->cause = "a block that has ended arrives no more";
      found->fix = "a barrier of the grid that every block passes";
    }
  }
  return static_cast<unsigned>(exited_leaders_.size());
}

/// Returns what happens before this point of a thread, other than by its clock: its warp and block.
vector_clock machine::local_clock(const thread& self) const {
  vector_clock local;
  const std::uint32_t first = self.number - self.lane();
  const std::uint32_t width = std::min(32U, threads_per_block_ - self.warp() * 32);  // lanes of this block only
  for (std::uint32_t i = 0; i < width; ++i) {
    const std::uint32_t time = i == self.lane()                          ? time_of(self)
                               : settings_.model == execution::lock_step ? time_of(self) - 1  // earlier steps
                               : self.lane_times                         ? (*self.lane_times)[i]
                                                                         : 0;
    if (time != 0) local.entries.push_back({first + i, time});
  }
  local.entries.push_back({vector_clock::block_bit | self.parent->number, self.parent->generation});
  return local;
}

/// Returns all that happens before this point of a thread: what a release by it passes on.
clock_pointer machine::release_clock(const thread& self) const {
  return join(self.clock, std::make_shared<vector_clock>(local_clock(self)));
}

/// Adds a thread's release to those of others.
void machine::add_release(clock_sum& sum, thread& self) const {
  sum.add(self.clock);
  sum.add(local_clock(self));
  ++self.time;
}

void machine::fence(bool block_scope, const void* caller) {
  step(caller);
  note_fence(caller);
  if (recording_) record_step(step_kind::fence, block_scope ? "__threadfence_block" : "__threadfence", caller);
  thread& self = *current_;
  self.fenced = true;
  accept_fenced_flags(block_scope);
  self.clock = join(self.clock, self.pending_in_block);
  self.pending_in_block.reset();
  if (!block_scope) {
    self.clock = join(self.clock, self.pending);
    self.pending.reset();
  }
  const clock_pointer all = release_clock(self);
  self.released_in_block = all;
  if (!block_scope) self.released = all;
  ++self.time;
}

}  // namespace exactdot::simt

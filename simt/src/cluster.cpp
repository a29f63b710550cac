// Clusters: shared memory of other blocks, the barrier of the cluster, and the end of a block.
//
// A shared variable of another block is accessed through its window: the bytes that its block swaps in while it
// runs. An access must follow the start of that block and precede its end, by happens-before order; otherwise it is
// reported in every schedule. A phase of the barrier completes when all non-exited threads of the cluster have
// arrived (PTX ISA, "barrier.cluster"). If some exit without arriving, that is a fault, and the run continues.
#include <algorithm>

#include "machine.hpp"
#include "races.hpp"
#include "step.hpp"

namespace exactdot::simt {

block* cluster::find(std::uint32_t number) const {
  const auto at = std::find_if(blocks.begin(), blocks.end(), [=](const block* it) { return it->number == number; });
  return at == blocks.end() ? nullptr : *at;
}

/// Completes the location of an address in a buffer of shared memory: a block's dynamic shared memory, or a window.
/// The running block's own variables are not in their windows.
void machine::find_distributed(location& found) {
  block& parent = *current_->parent;
  region& buffer = *found.range;
  found.owner = parent.parent->find(buffer.block);
  found.range = found.owner == nullptr ? nullptr : &buffer;
  if (buffer.window_of == nullptr || found.range == nullptr) return;
  found.range = found.owner == &parent ? nullptr : buffer.window_of;
  found.address = buffer.window_of->start + (found.address - buffer.start);
}

/// Returns where the bytes at a place are now.
unsigned char* machine::storage_of(const location& place) {
  const bool in_place =
      place.owner == nullptr || place.owner == loaded_block_ || device_memory::instance().holds(place.address);
  return in_place ? reinterpret_cast<unsigned char*>(place.address)
                  : place.owner->shared.stored(*place.range, place.address);
}

void* machine::map_shared(std::uintptr_t address, std::uint32_t rank, const void* caller) {
  step(caller);
  const location place = locate(address, 1);
  block& parent = *current_->parent;
  if (place.range == nullptr || place.owner == nullptr || rank >= blocks_per_cluster_) {
    report(fault_kind::out_of_bounds, place, "map_shared_rank", caller, nullptr, "",
           "rank " + std::to_string(rank) + " of a cluster of " + std::to_string(blocks_per_cluster_));
    end_launch();
  }
  block& target = *parent.parent->blocks[rank];
  if (device_memory::instance().holds(place.address)) {  // dynamic shared memory
    const auto offset = place.address - reinterpret_cast<std::uintptr_t>(place.owner->dynamic_shared);
    return static_cast<unsigned char*>(target.dynamic_shared) + offset;
  }
  if (&target == &parent) return reinterpret_cast<void*>(place.address);
  return target.shared.window(place.address, module_, target.number);
}

/// Returns a record of the last exit of a block's threads, for reports.
access_record machine::exit_of(const block& finished) const {
  const thread& last = finished.threads[finished.last_exited];
  access_record exit;
  exit.thread = last.number + 1, exit.site = site_of_address(attributed(last, last.program_counter)).number;
  return exit;
}

/// An access to another block's shared memory: that block must have started, and not have ended. Copies
/// are checked when it ends (end_copies_of).
void machine::check_remote(const location& place, const access_kind& kind, const void* caller) {
  const thread& self = *current_;
  block& owner = *place.owner;
  const bool knows_start = self.clock && self.clock->time_of(vector_clock::block_bit | owner.number) != 0;
  if (owner.has_ended() || !knows_start) {
    const access_record exit = exit_of(owner);
    report(fault_kind::absent_block, place, kind.name(), caller, knows_start ? &exit : nullptr,
           knows_start ? "exit" : "", knows_start ? "" : "it may not have started");
    return;
  }
  if (kind.agent == 0) owner.remote_accesses[self.number] = {record_of(kind, caller), place, kind.name()};
}

/// Returns what happens before the end of one of a block's threads.
clock_pointer machine::clock_of_block(const block& finished) {
  clock_sum sum;
  for (const thread& member : finished.threads) sum.add(member.clock);
  return sum.take();
}

/// At the end of a block: accesses to its shared memory by others must happen before one of its threads has exited.
void machine::check_remote_accesses(block& finished) {
  if (finished.remote_accesses.empty()) return;
  const clock_pointer known = clock_of_block(finished);
  current_ = &finished.threads[finished.last_exited];
  for (const auto& [number, last] : finished.remote_accesses) {
    const std::uint64_t parent = vector_clock::block_bit | number / threads_per_block_;
    if (known->time_of(number) >= last.record.time || known->time_of(parent) > last.record.generation) continue;
    report(fault_kind::absent_block, last.place, "exit", current_->program_counter, &last.record, last.action);
  }
}

void machine::cluster_arrive(const char* operation, bool release, const void* caller) {
  step(caller);
  thread& self = *current_;
  cluster& members = *self.parent->parent;
  self.operation = operation;
  self.recent.clear();
  if (self.cluster_arrivals > self.cluster_waits) {
    report_waiting(fault_kind::barrier_divergence, self, operation, &self, "an arrival without a wait before");
    return;
  }
  ++self.cluster_arrivals;
  note_progress();
  if (release) {
    add_release(members.arriving, self);
  } else {
    members.arriving.add(vector_clock::block_bit | self.parent->number, 1);  // it has started, no more
    if (self.async) members.arriving.add(self.async->fenced);
  }
  if (--members.missing == 0) release_cluster_barrier(members);
}

void machine::cluster_wait(const void* caller) {
  step(caller);
  thread& self = *current_;
  self.operation = "barrier.cluster.wait";
  self.recent.clear();
  cluster& members = *self.parent->parent;
  if (self.cluster_arrivals == self.cluster_waits) {
    report_waiting(fault_kind::barrier_divergence, self, self.operation, &self, "a wait without an arrival before");
    return;
  }
  note_progress();
  if (self.cluster_waits == members.phase) {  // the phase is incomplete
    self.status = thread_status::at_cluster_barrier;
    remove_ready(self);
    yield();
  }
  ++self.cluster_waits;
  self.clock = joined_(self.clock, members.completed);
}

/// Completes the phase of a cluster's barrier, and reports a thread that has exited without arriving.
void machine::release_cluster_barrier(cluster& members) {
  const thread* arrived = nullptr;
  std::uint32_t exited = 0;
  for (block* parent : members.blocks) {
    exited += parent->exited;
    for (thread& member : parent->threads) {
      if (member.status != thread_status::exited && member.cluster_arrivals > members.phase) arrived = &member;
      if (member.status == thread_status::at_cluster_barrier) make_ready(member);
    }
  }
  if (members.left_out != nullptr && arrived != nullptr) {
    report_waiting(fault_kind::barrier_divergence, *arrived, arrived->operation, members.left_out, "exit");
  }
  members.completed = members.arriving.take();
  ++members.phase;
  ++stream_.counted.barriers;
  members.missing = threads_per_block_ * blocks_per_cluster_ - exited;
  members.left_out = nullptr;
}

/// A thread that exits is no longer waited for.
void machine::thread_left_cluster(thread& finished) {
  cluster& members = *finished.parent->parent;
  if (finished.cluster_arrivals > members.phase) return;  // it has arrived in this phase
  members.left_out = &finished;
  if (--members.missing != 0) return;
  const bool others_remain = std::any_of(members.blocks.begin(), members.blocks.end(),
                                         [](const block* parent) { return !parent->has_ended(); });
  if (others_remain) release_cluster_barrier(members);
}

/// Reports and completes an incomplete phase: no thread can run, so the missing ones wait elsewhere. Returns
/// whether there was one.
bool machine::settle_cluster_barrier(cluster& members) {
  const thread* waiting = nullptr;
  const thread* elsewhere = nullptr;
  for (block* parent : members.blocks) {
    for (thread& member : parent->threads) {
      if (member.status == thread_status::at_cluster_barrier) waiting = &member;
      if (member.status == thread_status::at_barrier && member.cluster_arrivals <= members.phase)
        elsewhere = &member;
    }
  }
  if (waiting == nullptr || elsewhere == nullptr) return false;
  report_waiting(fault_kind::barrier_divergence, *waiting, waiting->operation, elsewhere, elsewhere->operation);
  release_cluster_barrier(members);
  for (block* parent : members.blocks) {
    for (thread& member : parent->threads) {
      if (member.cluster_arrivals < members.phase) member.cluster_arrivals = member.cluster_waits = members.phase;
    }
  }
  return true;
}

}  // namespace exactdot::simt

// Asynchronous copies: checks when they are issued, transfers at later steps, waits.
//
// The bytes move at a step drawn from the seed: after 1 to 4096 further steps, with all orders of magnitude equally
// likely; at a wait for them; or when all threads wait. Bulk copies use the async proxy, cp.async the generic one
// (PTX ISA, "Async proxy").
#include "copies.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "machine.hpp"
#include "races.hpp"
#include "step.hpp"

namespace exactdot::simt {

bool machine::copy_happens_before_current(const access_record& earlier) const {
  const copy_agent& by = agent(earlier.generation >> 1);
  const bool writes = (earlier.generation & 1) != 0;
  const access_record& awaited = writes ? by.write_awaited : by.read_awaited;
  if (awaited.thread != 0 && happens_before_current(awaited)) return true;
  return is_signalled(by, current_->clock);
}

/// Returns whether a clock covers a phase of an mbarrier that the copy has signalled.
bool machine::is_signalled(const copy_agent& by, const clock_pointer& known) {
  return known && std::any_of(by.signalled.begin(), by.signalled.end(), [&](const auto& at) {
           return known->time_of(vector_clock::mbarrier_bit | at.mbarrier) >= at.phase + 2;
         });
}

/// Returns whether a fence.proxy.async lies between an earlier access and the current point.
bool machine::precedes_async_proxy(const access_record& earlier) const {
  if (earlier.asynchronous) return true;
  const std::uint64_t number = earlier.thread - 1;
  const std::uint64_t parent = vector_clock::block_bit | number / threads_per_block_;
  const clock_pointer& known = current_->clock;
  return known && (known->time_of(vector_clock::proxy_bit | number) >= earlier.time ||
                   known->time_of(vector_clock::proxy_bit | parent) > earlier.generation);
}

void machine::check_copy_alignment(copy_kind kind, const copy_addresses& addresses, std::size_t size,
                                   const void* caller) {
  const std::size_t unit = kind == copy_kind::cp_async ? size : 16;
  const char* const action = kind == copy_kind::cp_async ? "cp.async" : "cp.async.bulk";
  for (const std::uintptr_t address : {addresses.to, addresses.from}) {
    if (address % unit != 0) misaligned(address, action, caller);
  }
  if (size % unit == 0) return;
  report(fault_kind::misaligned, {nullptr, addresses.to}, action, caller, nullptr, "",
         std::to_string(size) + " bytes, expected a multiple of 16");
  end_launch();
}

/// Returns the agent of a copy by the current thread.
std::uint32_t machine::agent_for(copy_kind kind, const void* caller) {
  const auto create = [&] {
    copy_agent& fresh = agents_.emplace_back();
    fresh.kind = kind, fresh.issuer = current_, fresh.caller = caller;
    return static_cast<std::uint32_t>(agents_.size());
  };
  if (kind == copy_kind::bulk) return create();
  auto& open = groups_of(*current_, kind).open;
  if (open.empty() || agent(open.back()).caller != caller || agent(open.back()).closed) open.push_back(create());
  return open.back();
}

copy_groups& machine::groups_of(thread& issuer, copy_kind kind) {
  asynchronous_state& state = issuer.asynchronous();
  return kind == copy_kind::cp_async ? state.cp_async : state.bulk;
}

/// Checks one end of a copy. Returns no region if it is out of bounds, or in the wrong kind of memory.
location machine::begin_copy_end(std::uintptr_t address, std::size_t size, bool shared, const access_kind& kind,
                                 const void* caller) {
  location place = locate(address, size);
  if (place.range == nullptr || (place.owner != nullptr) != shared) {
    report_out_of_bounds(address, size, kind, caller);
    place.range = nullptr;
    return place;
  }
  if (observed_) observe(place, address, size, kind, caller);
  if (settings_.detect) {
    if (place.owner != nullptr && place.owner != current_->parent) check_remote(place, kind, caller);
    check_access(place, size, kind, caller);
  }
  if (kind.write) place.range->mark_written(place.address, size);
  if (kind.async_proxy && place.owner != nullptr) {
    place.owner->bulk_copies.push_back(kind.agent);
    agent(kind.agent).shared_place = place;
  }
  return place;
}

/// Returns the place of the mbarrier that a bulk copy signals; without a region if there is none.
location machine::find_copy_barrier(std::uintptr_t address, const char* action, const void* caller) {
  location place = locate(address, 8);
  const mbarrier_state* const barrier = place.range == nullptr ? nullptr : find_mbarrier(place);
  if (barrier == nullptr || !barrier->live) {
    report(fault_kind::mbarrier_uninitialised, place, action, caller,
           barrier == nullptr ? nullptr : &barrier->last_change, barrier == nullptr ? "" : barrier->last_action);
    place.range = nullptr;
    return place;
  }
  const bool visible = precedes_async_proxy(barrier->initialised) ||
                       (current_->clock && current_->clock->time_of(barrier->key() | vector_clock::proxy_bit) != 0);
  if (!visible) {
    report(fault_kind::mbarrier_uninitialised, place, action, caller, &barrier->initialised, "mbarrier.init",
           "no fence makes its initialisation visible to asynchronous copies");
  }
  return place;
}

void machine::issue_copy(copy_kind kind, const copy_addresses& addresses, std::size_t size, const void* caller) {
  step(caller);
  current_->recent.clear();
  check_copy_alignment(kind, addresses, size, caller);
  const std::uint32_t id = agent_for(kind, caller);
  const bool bulk = kind != copy_kind::cp_async;
  const access_kind read{true, false, false, false, false, agent(id).action(false), id, bulk};
  const access_kind write{false, true, false, false, false, agent(id).action(true), id, bulk};
  const bool from_shared =
      kind == copy_kind::bulk_group || (kind == copy_kind::bulk && locate(addresses.from, 1).owner != nullptr);
  transfer next;
  next.from = begin_copy_end(addresses.from, size, from_shared, read, caller);
  next.to = begin_copy_end(addresses.to, size, kind != copy_kind::bulk_group, write, caller);
  if (next.from.range != nullptr && next.to.range != nullptr) next.size = size;
  if (kind == copy_kind::bulk) {
    next.barrier = find_copy_barrier(addresses.barrier, write.name(), caller);
    next.signalled_bytes = static_cast<std::uint32_t>(size);
    if (next.barrier.range != nullptr) next.phase = find_mbarrier(next.barrier)->phase;
  }
  ++stream_.counted.copies;
  schedule_transfer(id, std::move(next));
}

/// cp.async.mbarrier.arrive: an arrival that follows the thread's earlier cp.async copies. `counts`: it is one of
/// those that the phase expects (.noinc); otherwise the phase now expects one more.
void machine::arrive_after_copies(std::uintptr_t barrier, bool counts, const void* caller) {
  const access_kind kind{false, true, true, false, true, "cp.async.mbarrier.arrive"};
  transfer next;
  mbarrier_state* const state = begin_mbarrier_access(next.barrier, barrier, kind, caller);
  if (state == nullptr) return;
  if (!counts) ++state->pending;
  current_->recent.clear();
  copy_groups& groups = groups_of(*current_, copy_kind::cp_async);
  const auto add = [&](std::vector<std::uint32_t>& group) {
    std::erase_if(group, [this](std::uint32_t id) { return !agent(id).signalled.empty(); });
    next.after.insert(next.after.end(), group.begin(), group.end());
    for (const std::uint32_t id : group) agent(id).closed = true;
  };
  for (auto& group : groups.committed) add(group);
  add(groups.open);
  copy_agent& fresh = agents_.emplace_back();
  fresh.kind = copy_kind::cp_async, fresh.issuer = current_, fresh.caller = caller;
  schedule_transfer(static_cast<std::uint32_t>(agents_.size()), std::move(next));
}

void machine::schedule_transfer(std::uint32_t id, transfer next) {
  const std::uint64_t range = std::uint64_t{1} << random_() % 13;
  in_flight_.emplace(steps() + 1 + random_() % range, id);
  agent(id).pending.push_back(std::move(next));
}

void machine::complete_due_copies() {
  while (!in_flight_.empty() && in_flight_.begin()->first <= steps()) {
    const std::uint32_t id = in_flight_.begin()->second;
    in_flight_.erase(in_flight_.begin());
    complete_one(id);
  }
}

bool machine::complete_earliest_copy() {
  while (!in_flight_.empty()) {
    const std::uint32_t id = in_flight_.begin()->second;
    in_flight_.erase(in_flight_.begin());
    if (complete_one(id)) return true;
  }
  return false;
}

/// Completes one transfer of an agent. Returns false if none is left: a wait has completed them.
bool machine::complete_one(std::uint32_t id) {
  auto& pending = agent(id).pending;
  if (pending.empty()) return false;
  std::swap(pending[random_() % pending.size()], pending.back());
  const transfer done = std::move(pending.back());
  pending.pop_back();
  finish_transfer(id, done);
  return true;
}

void machine::complete_all(std::uint32_t id) {
  while (complete_one(id)) {
  }
}

void machine::finish_transfer(std::uint32_t id, const transfer& done) {
  note_progress();
  if (done.size != 0) {
    std::memmove(storage_of(done.to), storage_of(done.from), done.size);
    std::vector<std::uintptr_t> changed;
    for (const auto& [address, waiting] : parked_) {
      if (address - done.to.address < done.size) changed.push_back(address);
    }
    for (const std::uintptr_t address : changed) unpark(address);
  }
  if (done.barrier.range == nullptr) return;
  thread* const interrupted = current_;
  current_ = agent(id).issuer;
  signal_barrier(id, done);
  current_ = interrupted;
}

/// A completed transfer reports its bytes, or the arrival that it stands for, to its mbarrier.
void machine::signal_barrier(std::uint32_t id, const transfer& done) {
  mbarrier_state& barrier = *find_mbarrier(done.barrier);
  const copy_agent& by = agent(id);
  const bool arrives = done.signalled_bytes == 0 && by.kind == copy_kind::cp_async;
  const char* const action = arrives ? "cp.async.mbarrier.arrive" : by.action(true);
  const auto fault = [&](fault_kind kind, const std::string& detail) {
    report(kind, done.barrier, action, by.caller, &barrier.last_change, barrier.last_action, detail);
  };
  if (!barrier.live) return fault(fault_kind::mbarrier_uninitialised, "");
  const auto signal = [&](copy_agent& signalled) { signalled.signalled.push_back({barrier.id, barrier.phase}); };
  if (arrives) {
    for (const std::uint32_t earlier : done.after) {
      complete_all(earlier);
      signal(agent(earlier));
    }
    if (barrier.pending == 0) return fault(fault_kind::mbarrier_overflow, "1 arrival");
    return apply_change(done.barrier, barrier, 1, 0);
  }
  signal(agent(id));
  barrier.last_copy = record_of({}, by.caller);
  if (barrier.phase != done.phase) {
    fault(fault_kind::mbarrier_bytes, "phase " + std::to_string(done.phase) + " ended without the " +
                                          std::to_string(done.signalled_bytes) + " bytes of this copy");
  }
  apply_change(done.barrier, barrier, 0, -std::int64_t{done.signalled_bytes});
  if (barrier.pending == 0 && barrier.bytes < 0)
    fault(fault_kind::mbarrier_bytes, std::to_string(-barrier.bytes) + " bytes more than expected");
}

void machine::commit_copies(copy_kind kind, const void* caller) {
  step(caller);
  copy_groups& groups = groups_of(*current_, kind);
  groups.committed.push_back(std::move(groups.open));
  groups.open.clear();
}

/// Waits for all committed groups but the last ones. `reads_only`: for the copies' reads.
void machine::await_copies(copy_kind kind, std::size_t groups_left, bool reads_only, const void* caller) {
  step(caller);
  auto& committed = groups_of(*current_, kind).committed;
  const access_record now = record_of({}, caller);
  const std::size_t complete = committed.size() - std::min(committed.size(), groups_left);
  for (std::size_t i = 0; i < complete; ++i) {
    for (const std::uint32_t id : committed[i]) {
      complete_all(id);
      copy_agent& by = agent(id);
      if (by.read_awaited.thread == 0) by.read_awaited = now;
      if (!reads_only) by.write_awaited = now;
    }
  }
  if (!reads_only) committed.erase(committed.begin(), committed.begin() + static_cast<std::ptrdiff_t>(complete));
}

/// At the end of a block: a bulk copy from or to its shared memory must have been awaited, and the bytes of its
/// mbarriers must be balanced.
void machine::end_copies_of(block& finished) {
  if (finished.bulk_copies.empty() && finished.mbarriers.empty() && in_flight_.empty()) return;
  const clock_pointer known = clock_of_block(finished);
  const access_record exit = exit_of(finished);
  for (const std::uint32_t id : finished.bulk_copies) {
    copy_agent& by = agent(id);
    if (is_signalled(by, known) || by.read_awaited.thread != 0) continue;
    current_ = by.issuer;
    report(fault_kind::absent_block, by.shared_place, by.action(by.kind == copy_kind::bulk), by.caller, &exit,
           "exit", "not awaited");
    complete_all(id);
  }
  for (const auto& [due, id] : in_flight_) {
    if (agent(id).issuer->parent == &finished) complete_all(id);
  }
  for (const auto& [address, barrier] : finished.mbarriers) {
    if (!barrier.live || barrier.bytes == 0) continue;
    current_ = &finished.threads[finished.last_exited];
    const bool too_many = barrier.bytes < 0 && barrier.last_copy.thread != 0;
    report(fault_kind::mbarrier_bytes, {nullptr, address, &finished}, "exit", exit.caller(),
           too_many ? &barrier.last_copy : &barrier.last_change,
           too_many ? "write of cp.async.bulk" : barrier.last_action, text_of_phase(barrier));
  }
}

}  // namespace exactdot::simt

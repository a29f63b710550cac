// Faults of memory accesses: data races, addresses out of bounds, reads of unwritten memory.
//
// Each access is compared with the shadow cells of its four-byte words: the last write and up to two reads
// (order.hpp). Further reads are dropped, so a run may miss a race that another seed shows. It reports no race that
// is none.
#include <algorithm>

#include "machine.hpp"

namespace exactdot::simt {

/// Returns whether no other thread accesses the address: the thread's stack, the kernel's arguments, constants.
bool machine::is_local(std::uintptr_t address) const {
  constexpr std::size_t stack = stack_pool::stack_bytes;
  return address - (reinterpret_cast<std::uintptr_t>(current_->stack) - stack) < stack ||
         address - reinterpret_cast<std::uintptr_t>(call_.arguments) < call_.argument_bytes ||
         module_.is_constant(address);
}

/// Returns the place of a range; its region is null if there is none or the thread may not access it.
location machine::locate(std::uintptr_t address, std::size_t size) {
  location found{nullptr, address, nullptr};
  if (device_memory::instance().holds(address)) {
    found.range = device_memory::instance().find(address);
    if (found.range != nullptr && found.range->shared) find_distributed(found);
  } else if (module_.is_shared(address)) {
    found.owner = current_->parent;
    found.range = found.owner->shared.find(address, module_);
  } else {
    for (region& global : globals_) {
      if (global.holds(address)) found.range = &global;
    }
  }
  if (found.range != nullptr && !found.range->holds(found.address, size)) found.range = nullptr;
  return found;
}

/// Scheduling point and checks before every access. Returns no region if the access is out of bounds.
location machine::begin_access(std::uintptr_t address, std::size_t size, const access_kind& kind,
                               const void* caller) {
  step(caller);
  const location place = locate(address, size);
  const void* const site = attributed(*current_, caller);
  if (place.range == nullptr) {
    report_out_of_bounds(address, size, kind, site);
    detect_repetition(place, address, size, caller);  // a thread may spin on it
    return place;
  }
  if (observed_) observe(place, address, size, kind, caller);
  const bool has_waited = detect_repetition(place, address, size, caller);
  if (has_waited && recording_) record_access(place, address, size, kind, caller);
  if (kind.write && module_.is_read_only(place.address))
    report(fault_kind::constant_write, place, kind.name(), site);
  if (settings_.detect) {
    if (place.owner != nullptr && place.owner != current_->parent) check_remote(place, kind, site);
    check_access(place, size, kind, site);
  }
  if (kind.write) place.range->mark_written(place.address, size);
  if (kind.atomic) synchronise_through(place, kind);
  return place;
}

void machine::access(std::uintptr_t address, std::size_t size, bool write, access_order order, const void* caller) {
  if (is_local(address)) return;
  access_kind kind{!write, write, order != access_order::plain, false};
  kind.is_volatile = order == access_order::is_volatile;
  const location place = begin_access(address, size, kind, caller);
  if (place.range != nullptr && !place.range->shared) (write ? stream_.counted.writes : stream_.counted.reads) += 1;
  if (write && !parked_.empty()) unpark(place.address);
}

void machine::atomic(std::uintptr_t address, std::size_t size, bool reads, bool block_scope, const void* caller) {
  if (address % size != 0) misaligned(address, "atomic", caller);
  if (is_local(address)) return;
  begin_access(address, size, {reads, true, true, block_scope, !reads}, caller);
  ++stream_.counted.atomics;
}

void machine::atomic_load(std::uintptr_t address, std::size_t size, bool block_scope, const void* caller) {
  if (address % size != 0) misaligned(address, "atomic load", caller);
  if (is_local(address)) return;
  begin_access(address, size, {true, false, true, block_scope}, caller);
  ++stream_.counted.atomics;
}

/// Release and acquire through an address. A strong write stores the clock that the thread's last fence released; a
/// strong read adds the stored clock to the pending ones, which the next fence acquires. A write alone replaces the
/// stored clock, a read-modify-write joins it. A shared variable has one address in all blocks, so its clocks are
/// per block, and the cluster's if it has several blocks.
void machine::synchronise_through(const location& place, const access_kind& kind) {
  thread& self = *current_;
  block& parent = *self.parent;
  block& home = place.owner != nullptr ? *place.owner : parent;
  if (!self.released_in_block && released_clocks_.empty() && home.released_clocks.empty() &&
      home.cluster_clocks.empty())
    return;
  const std::uintptr_t address = place.address;
  const auto release_acquire = [&](clock_pointer& stored, const clock_pointer& released, clock_pointer& pending) {
    if (kind.reads() && stored) pending = join(pending, stored), self.observed = joined_(self.observed, stored);
    if (kind.write) stored = kind.reads() ? join(stored, released) : released;
  };
  if (&home == &parent)
    release_acquire(parent.released_clocks[address], self.released_in_block, self.pending_in_block);
  if (place.range->shared) {
    if (blocks_per_cluster_ > 1 && !kind.block_scope)
      release_acquire(home.cluster_clocks[address], self.released, self.pending);
  } else if (!kind.block_scope) {
    release_acquire(released_clocks_[address], self.released, self.pending);
  }
  if (!kind.write || kind.reads()) return;
  for (const auto& other : resident_) {
    if (other.get() != &parent && (!place.range->shared || other.get() == &home))
      other->released_clocks.erase(address);
  }
}

/// Returns the thread's time for access records; in lock step, its warp's.
std::uint32_t machine::time_of(const thread& member) const {
  return settings_.model == execution::lock_step ? member.parent->warp_steps[member.warp()] : member.time;
}

/// Returns whether an earlier access happens before the current thread's next one.
bool machine::happens_before_current(const access_record& earlier) const {
  if (earlier.asynchronous) [[unlikely]]
    return copy_happens_before_current(earlier);
  const std::uint32_t number = earlier.thread - 1;
  const thread& self = *current_;
  if (number == self.number) return true;
  const std::uint32_t block_number = number / threads_per_block_;
  if (block_number == self.parent->number) {
    if (earlier.generation < self.parent->generation) return true;
    const std::uint32_t index = number % threads_per_block_;
    if (index / 32 == self.warp()) {
      if (settings_.model == execution::lock_step) return earlier.time < time_of(self);
      if (self.lane_times && (*self.lane_times)[index % 32] >= earlier.time) return true;
    }
  }
  return is_covered(earlier, self.clock);
}

bool machine::is_covered(const access_record& earlier, const clock_pointer& clock) const {
  const std::uint32_t number = earlier.thread - 1;
  return clock && (clock->time_of(number) >= earlier.time ||
                   clock->time_of(vector_clock::block_bit | number / threads_per_block_) > earlier.generation);
}

/// Volatile accesses are ordered also by a flag that was read without a fence: they follow in program order.
bool machine::conflicts(const access_record& earlier, const access_record& current) {
  if (earlier.thread == 0 || (earlier.bytes & current.bytes) == 0) return false;
  const bool both_volatile = earlier.is_volatile && current.is_volatile;
  if (earlier.atomic && current.atomic && !both_volatile) {
    const bool same_block = (earlier.thread - 1) / threads_per_block_ == (current.thread - 1) / threads_per_block_;
    if (same_block || (!earlier.block_scope && !current.block_scope)) return false;
  }
  if (happens_before_current(earlier)) return false;
  if (!current.is_volatile || earlier.asynchronous || !is_covered(earlier, current_->observed)) return true;
  accept_used_flags(*current_->parent);
  return false;
}

/// Returns what keeps two conflicting accesses from being ordered.
race_relation machine::relation_to(const access_record& earlier, const access_record& current) const {
  if (earlier.asynchronous) return race_relation::running_copy;
  if (current.asynchronous) return race_relation::early_copy;
  const std::uint32_t left = earlier.thread - 1, right = current.thread - 1;
  if (earlier.atomic && current.atomic && (earlier.block_scope || current.block_scope))
    return race_relation::narrow_scope;
  if (is_covered(earlier, current_->observed)) return race_relation::missing_acquire;
  if (earlier.atomic != current.atomic && !earlier.is_volatile && !current.is_volatile)
    return race_relation::one_atomic;
  if (left / threads_per_block_ != right / threads_per_block_) return race_relation::blocks;
  const std::uint32_t left_warp = left % threads_per_block_ / 32, right_warp = right % threads_per_block_ / 32;
  return left_warp == right_warp ? race_relation::lanes : race_relation::threads;
}

/// Returns the record of an access by the current thread, or by an agent on its behalf.
access_record machine::record_of(const access_kind& kind, const void* caller) const {
  access_record record;
  record.thread = current_->number + 1;
  record.generation = current_->parent->generation;
  record.time = time_of(*current_);
  record.atomic = kind.atomic, record.block_scope = kind.block_scope;
  record.asynchronous = kind.agent != 0, record.is_volatile = kind.is_volatile;
  record.caller = caller;
  if (record.asynchronous) record.generation = kind.agent << 1 | (kind.write ? 1U : 0U);
  return record;
}

void machine::check_access(const location& place, std::size_t size, const access_kind& kind, const void* caller) {
  const std::uint32_t launch = device_memory::instance().launch();
  const std::uintptr_t address = place.address;
  if (kind.read && !place.range->is_written(address, size)) {
    report(place.range->shared ? fault_kind::uninitialised_shared : fault_kind::uninitialised_global, place,
           kind.name(), caller);
  }
  access_record current = record_of(kind, caller);
  bool fenced = !kind.async_proxy;
  if (kind.is_volatile && !kind.write) forget_polled(address, size, caller);
  for (std::uintptr_t word = address / 4 * 4; word < address + size; word += 4) {
    current.bytes = 0;
    for (unsigned i = 0; i < 4; ++i) {
      if (word + i >= address && word + i < address + size) current.bytes = (current.bytes | 1U << i) & 0xfU;
    }
    shadow_cell& cell = place.range->cell_at(word);
    if (cell.launch != launch) cell = {launch, {}, {}};
    const access_record* other = conflicts(cell.write, current) ? &cell.write : nullptr;
    const auto is_own_read = [&](const access_record& read) { return read.thread == current.thread; };
    if (kind.is_volatile && kind.write && cell.write.is_volatile &&
        std::any_of(std::begin(cell.read), std::end(cell.read), is_own_read)) {
      other = nullptr;  // it has read what the other thread wrote: that read was judged
    }
    if (kind.write && other == nullptr) {
      for (const access_record& read : cell.read) {
        if (conflicts(read, current)) other = &read;
      }
    }
    const location word_place{place.range, std::max(word, address), place.owner};
    if (other != nullptr) {
      const bool other_writes = other == &cell.write;
      if (kind.is_volatile && other->is_volatile && kind.write != other_writes) {
        note_volatile_conflict(word_place, current, kind.write, *other);
      } else {
        report_race(word_place, kind.name(), current, *other,
                    other->asynchronous                    ? agent(other->generation >> 1).action(other_writes)
                    : !other_writes                        ? "read"
                    : other->atomic && !other->is_volatile ? "atomic"
                                                           : "write",
                    relation_to(*other, current));
      }
    } else if (!fenced && cell.write.thread != 0 && !precedes_async_proxy(cell.write)) {
      fenced = true;  // reported once for a copy
      report(fault_kind::missing_proxy_fence, word_place, kind.name(), caller, &cell.write, "write");
    }
    if (kind.write) {
      cell.write = current;
      cell.read[0] = cell.read[1] = {};
    } else {
      const bool first = cell.read[0].thread == 0 || happens_before_current(cell.read[0]);
      cell.read[first ? 0 : 1] = current;
    }
  }
}

/// Returns whether an address is in shared memory, or nearer to it than to a buffer.
bool machine::looks_shared(std::uintptr_t address) const {
  if (!device_memory::instance().holds(address)) return module_.is_near_shared(address);
  const region* const nearest = device_memory::instance().nearest(address);
  return nearest != nullptr && nearest->shared;
}

/// Reports an access outside of all regions. Between buffers, and between this kernel's shared variables, the run
/// continues: the access harms nothing. Elsewhere it would read or change memory of the program, so the launch
/// ends, as on a GPU.
void machine::report_out_of_bounds(std::uintptr_t address, std::size_t size, const access_kind& kind,
                                   const void* caller) {
  const bool harmless = device_memory::instance().holds(address) || module_.is_unused(address, size);
  if (harmless && !settings_.detect) return;
  report(fault_kind::out_of_bounds, {nullptr, address}, kind.name(), caller);
  if (!harmless) end_launch_by(fault_kind::out_of_bounds);
}

/// Reports a misaligned access and ends the launch, as on a GPU. Compilers report addresses that are no multiple of
/// 8; crash.hpp detects the others.
void machine::misaligned(std::uintptr_t address, const char* action, const void* caller) {
  report(fault_kind::misaligned, {nullptr, address}, action, caller);
  end_launch_by(fault_kind::misaligned);
}

}  // namespace exactdot::simt

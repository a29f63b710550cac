// Accesses to memory, and their faults: addresses out of bounds, reads of unwritten memory. races.cpp has data
// races.
#include <algorithm>

#include "machine.hpp"
#include "program_variables.hpp"

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
    if (found.range == nullptr || is_host_variable(address))
      found.range = device_memory::instance().find_registered(address);
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
  if (current_->held_lock != 0) note_locked_access(address, site);
  if (settings_.detect) {
    if (place.owner != nullptr && place.owner != current_->parent) check_remote(place, kind, site);
    check_access(place, size, kind, site);
  }
  if (kind.write) place.range->mark_written(place.address, size);
  if (kind.atomic) synchronise_through(place, kind);
  return place;
}

void machine::access(std::uintptr_t address, std::size_t size, bool write, access_order order, const void* caller) {
  std::unique_ptr<struct_copy> copied;
  if (current_->copied_read && continues_copy(size, write, order, caller)) [[unlikely]]
    copied = std::move(current_->copied_read);
  if (is_local(address)) {
    current_->written = {{nullptr, address, nullptr}, write ? size : 0};
    if (copied) copied->to = current_->written.place, copy_ = std::move(*copied);
    return;
  }
  access_kind kind{!write, write, order != access_order::plain, false};
  kind.is_volatile = order == access_order::is_volatile;
  const location place = begin_access(address, size, kind, caller);
  current_->written = {place, write && place.range != nullptr ? size : 0};
  if (copied && place.range != nullptr) copied->to = place, copy_ = std::move(*copied);
  if (place.range != nullptr && !place.range->shared) (write ? stream_.counted.writes : stream_.counted.reads) += 1;
  if (write && !parked_.empty()) unpark(place.address);
}

void machine::atomic(std::uintptr_t address, std::size_t size, bool reads, bool block_scope, const void* caller) {
  if (address % size != 0) misaligned(address, "atomic", caller);
  if (is_local(address)) return;
  note_atomic_site(caller);
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

void machine::check_access(const location& place, std::size_t size, const access_kind& kind, const void* caller) {
  if (kind.read) check_written(place, size, kind, caller);
  if (kind.reads()) place.range->mark_read(place.address, size);
  if (kind.reads() && place.range->is_highest_read(place.address))
    note_highest_read(*place.range, place.address, size);
  if (kind.write) place.range->mark_written_by_kernel(place.address, size);
  if (kind.write) note_result(*place.range, kind);
  check_races(place, size, kind, caller);
}

/// Reports unwritten bytes that the current thread reads. A struct may be copied with its padding: see struct_copy.
void machine::check_written(const location& place, std::size_t size, const access_kind& kind, const void* caller) {
  if (place.range->is_written(place.address, size)) return;
  const bool is_plain = kind.agent == 0 && !kind.atomic;
  if (is_plain && begin_struct_copy(place, size, caller)) return;
  report(place.range->shared ? fault_kind::uninitialised_shared : fault_kind::uninitialised_global, place,
         kind.name(), caller);
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
  if (recording_ && kind.agent == 0)
    record_step(kind.write ? step_kind::write : step_kind::read, kind.name(), caller);
  report(fault_kind::out_of_bounds, {nullptr, address}, kind.name(), caller);
  if (!harmless) end_launch_by(fault_kind::out_of_bounds);
}

/// Reports a misaligned access and ends the launch, as on a GPU. Compilers report addresses that are no multiple of
/// 8; crash.hpp detects the others.
void machine::misaligned(std::uintptr_t address, const char* action, const void* caller) {
  if (recording_) record_step(step_kind::read, action, caller);
  report(fault_kind::misaligned, {nullptr, address}, action, caller);
  end_launch_by(fault_kind::misaligned);
}

}  // namespace exactdot::simt

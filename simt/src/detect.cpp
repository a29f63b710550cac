// Accesses to memory, and their faults: addresses out of bounds, reads of unwritten memory. races.cpp has data
// races.
#include <algorithm>

#include "access.hpp"
#include "program_variables.hpp"
#include "race_check.hpp"
#include "repetition.hpp"

namespace exactdot::simt {
namespace {

// constants, of which the inlined checks leave only what such an access needs
constexpr access_kind plain_read{true, false, false, false}, plain_write{false, true, false, false};

}  // namespace

/// Returns the place of a range; its region is null if there is none or the thread may not access it.
inline location machine::locate_inline(std::uintptr_t address, std::size_t size) {
  location found{nullptr, address, nullptr};
  if (memory_.holds(address)) {
    found.range = memory_.find(address);
    if (found.range != nullptr && found.range->shared) [[unlikely]]
      find_distributed(found);
  } else if (module_.is_shared(address)) {
    found.owner = current_->parent;
    found.range = found.owner->shared.find(address, module_);
  } else {
    found.range = find_variable(address);
  }
  if (found.range != nullptr && !found.range->holds(found.address, size)) [[unlikely]]
    found.range = nullptr;
  return found;
}

location machine::locate(std::uintptr_t address, std::size_t size) { return locate_inline(address, size); }

/// Returns the program's memory at an address that kernels may use: global variables, or what is registered.
region* machine::find_variable(std::uintptr_t address) {
  region* found = nullptr;
  for (region& global : globals_) {
    if (global.holds(address)) found = &global;
  }
  return found == nullptr || is_host_variable(address) ? memory_.find_registered(address) : found;
}

[[gnu::always_inline]] inline void machine::judge_bytes(const location& place, std::size_t size,
                                                        const access_kind& kind, const void* caller) {
  region& range = *place.range;
  const std::uintptr_t address = place.address;
  if (kind.read && !range.is_written(address, size)) [[unlikely]]
    check_unwritten(place, size, kind, caller);
  if (kind.reads()) range.mark_read(address, size);
  if (kind.reads() && range.is_highest_read(address)) [[unlikely]]
    note_highest_read(range, address, size);
  if (kind.write) range.mark_written_by_kernel(address, size);
  if (kind.write) note_result(range, kind);
  check_races(place, size, kind, caller);
}

void machine::check_access(const location& place, std::size_t size, const access_kind& kind, const void* caller) {
  judge_bytes(place, size, kind, caller);
}

/// The checks of an access, after its scheduling point. Returns no region if the access is out of bounds.
[[gnu::always_inline]] inline location machine::judge_access(std::uintptr_t address, std::size_t size,
                                                             const access_kind& kind, const void* caller) {
  const location place = locate_inline(address, size);
  const void* const site = attributed(*current_, caller);
  if (place.range == nullptr) [[unlikely]] {
    report_out_of_bounds(address, size, kind, site);
    detect_repetition(place, address, size, caller);  // a thread may spin on it
    return place;
  }
  if (observed_) [[unlikely]]
    observe(place, address, size, kind, caller);
  const bool has_waited = detect_repetition(place, address, size, caller);
  if (has_waited && recording_) record_access(place, address, size, kind, caller);
  if (kind.write && module_.is_read_only(place.address))
    report(fault_kind::constant_write, place, kind.name(), site);
  if (current_->held_lock != 0) note_locked_access(address, site);
  if (settings_.detect) {
    if (place.owner != nullptr && place.owner != current_->parent) check_remote(place, kind, site);
    judge_bytes(place, size, kind, site);
  }
  if (kind.write) place.range->mark_written(place.address, size);
  if (kind.atomic) synchronise_through(place, kind);
  if (kind.is_volatile && size > sizeof(std::uint32_t)) [[unlikely]]
    synchronise_through_rest(place, size, kind);
  return place;
}

location machine::judge_any_access(std::uintptr_t address, std::size_t size, const access_kind& kind,
                                   const void* caller) {
  return judge_access(address, size, kind, caller);
}

/// Scheduling point and checks before every access.
location machine::begin_access(std::uintptr_t address, std::size_t size, const access_kind& kind,
                               const void* caller) {
  step(caller);
  return judge_any_access(address, size, kind, caller);
}

/// The checks of a load or store; of a plain one of four bytes, which most are, by code for nothing else.
void machine::judge_plain_access(std::uintptr_t address, std::size_t size, bool write, access_order order,
                                 const void* caller) {
  location place;
  if (order != access_order::plain) [[unlikely]] {
    access_kind kind{!write, write, true, false};
    kind.is_volatile = order == access_order::is_volatile;
    place = judge_any_access(address, size, kind, caller);
  } else if (size == sizeof(std::uint32_t)) {
    place = write ? judge_access(address, sizeof(std::uint32_t), plain_write, caller)
                  : judge_access(address, sizeof(std::uint32_t), plain_read, caller);
  } else {
    place = judge_any_access(address, size, write ? plain_write : plain_read, caller);
  }
  current_->written = {place, write && place.range != nullptr ? size : 0};
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

/// The same through the other words of a volatile access, whose conflicts are judged word by word.
void machine::synchronise_through_rest(location place, std::size_t size, const access_kind& kind) {
  for (std::size_t at = sizeof(std::uint32_t); at < size; at += sizeof(std::uint32_t)) {
    place.address += sizeof(std::uint32_t);
    synchronise_through(place, kind);
  }
}

/// Reports unwritten bytes that the current thread reads. A struct may be copied with its padding: see struct_copy.
void machine::check_unwritten(const location& place, std::size_t size, const access_kind& kind,
                              const void* caller) {
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

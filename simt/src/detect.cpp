// Faults of memory accesses: races, addresses outside of everything, reads of what nobody wrote.
//
// Each access is compared with what is remembered of its four-byte cells: the last write and up to two reads. More
// reads are forgotten, so a race may be missed in one run (another seed shows it), but none is invented.
#include <algorithm>
#include <cstring>

#include "machine.hpp"
#include "symbols.hpp"

namespace exactdot::simt {

/// Memory that no other thread sees: the thread's own stack, the kernel's arguments, the program's constants.
bool machine::is_local(std::uintptr_t address) const {
  constexpr std::size_t stack = stack_pool::stack_bytes;
  return address - (reinterpret_cast<std::uintptr_t>(current_->stack) - stack) < stack ||
         address - reinterpret_cast<std::uintptr_t>(work_.arguments) < work_.argument_bytes ||
         module_.is_constant(address);
}

/// What the address lies in, as far as the thread may use it; null if it may not.
region* machine::find_region(std::uintptr_t address, std::size_t size) {
  region* found = nullptr;
  if (device_memory::instance().holds(address)) {
    found = device_memory::instance().find(address);
    if (found != nullptr && found->shared && found->block != current_->home->number) return nullptr;
  } else if (module_.is_shared(address)) {
    found = current_->home->shared.find(address, module_);
  } else {
    for (region& one : globals_) {
      if (one.holds(address)) found = &one;
    }
  }
  return found != nullptr && found->holds(address, size) ? found : nullptr;
}

/// The scheduling point before every access; null if the access was a stray one.
region* machine::begin_access(std::uintptr_t address, std::size_t size, const access_kind& how,
                              const void* caller) {
  step(caller);
  region* const where = find_region(address, size);
  if (where == nullptr) {
    stray(address, size, how, caller);
    return nullptr;
  }
  if (how_.trace) keep_trace(address, size, how.name(), caller);
  notice_repetition(address, size, caller);
  if (how_.detect) examine(*where, address, size, how, caller);
  if (how.write) where->mark_written(address, size);
  if (how.atomic) synchronise_through(address, where->shared, how);
  return where;
}

void machine::access(std::uintptr_t address, std::size_t size, bool write, bool strong, const void* caller) {
  if (is_local(address)) return;
  const region* const where = begin_access(address, size, {!write, write, strong, false}, caller);
  if (where != nullptr && !where->shared) (write ? on_.counted.writes : on_.counted.reads) += 1;
  if (write && !parked_.empty()) unpark(address);
}

void machine::atomic(std::uintptr_t address, std::size_t size, bool reads, bool block_scope, const void* caller) {
  if (address % size != 0) misaligned(address, "atomic", caller);
  if (is_local(address)) return;
  begin_access(address, size, {reads, true, true, block_scope, !reads}, caller);
  ++on_.counted.atomics;
}

/// A strong write leaves at its address what the thread has released by a fence before; a strong read takes it, and
/// a fence after it makes it known. A write alone replaces what lay there, a read and write adds to it. Shared
/// memory has one address in every block, and is a matter of each alone.
void machine::synchronise_through(std::uintptr_t address, bool shared, const access_kind& how) {
  thread& self = *current_;
  block& home = *self.home;
  if (!self.released_in_block && left_.empty() && home.left.empty()) return;
  const auto meet = [&](shared_knowledge& here, const shared_knowledge& released, shared_knowledge& pending) {
    if (how.reads()) pending = join(pending, here);
    if (how.write) here = how.reads() ? join(here, released) : released;
  };
  meet(home.left[address], self.released_in_block, self.pending_in_block);
  if (shared) return;
  if (!how.block_scope) meet(left_[address], self.released, self.pending);
  if (how.write && !how.reads()) {
    for (const auto& other : resident_) {
      if (other.get() != &home) other->left.erase(address);
    }
  }
}

std::uint32_t machine::time_now(const thread& which) const {
  return how_.model == execution::lock_step ? which.home->warp_steps[which.warp()] : which.time;
}

bool machine::ordered(const record& before) const {
  const std::uint32_t who = before.thread - 1;
  const thread& self = *current_;
  if (who == self.number) return true;
  const std::uint32_t home = who / threads_a_block_;
  if (home == self.home->number) {
    if (before.generation < self.home->generation) return true;
    const std::uint32_t index = who % threads_a_block_;
    if (index / 32 == self.warp()) {
      if (how_.model == execution::lock_step) return before.time < time_now(self);
      if (self.lanes && (*self.lanes)[index % 32] >= before.time) return true;
    }
  }
  return self.known && (self.known->time_of(who) >= before.time ||
                        self.known->time_of(knowledge::block_bit | home) > before.generation);
}

bool machine::conflicts(const record& before, const record& now) const {
  if (before.thread == 0 || (before.bytes & now.bytes) == 0) return false;
  if (before.atomic && now.atomic) {
    const bool same_block = (before.thread - 1) / threads_a_block_ == (now.thread - 1) / threads_a_block_;
    if (same_block || (!before.block_scope && !now.block_scope)) return false;
  }
  return !ordered(before);
}

void machine::examine(region& where, std::uintptr_t address, std::size_t size, const access_kind& how,
                      const void* caller) {
  const std::uint32_t launch = device_memory::instance().launch();
  if (how.read && !where.is_written(address, size)) {
    report(where.shared ? fault_kind::uninitialised_shared : fault_kind::uninitialised_global, where.shared,
           address, how.name(), caller, nullptr, "");
  }
  record now{current_->number + 1,
             current_->home->generation,
             time_now(*current_),
             0,
             how.atomic,
             how.block_scope,
             caller};
  for (std::uintptr_t word = address / 4 * 4; word < address + size; word += 4) {
    now.bytes = 0;
    for (unsigned i = 0; i < 4; ++i) {
      if (word + i >= address && word + i < address + size) now.bytes |= static_cast<std::uint8_t>(1U << i);
    }
    cell& here = where.at(word);
    if (here.launch != launch) here = {launch, {}, {}};
    const record* other = conflicts(here.write, now) ? &here.write : nullptr;
    if (how.write && other == nullptr) {
      for (const record& read : here.read) {
        if (conflicts(read, now)) other = &read;
      }
    }
    if (other != nullptr) {
      report(fault_kind::data_race, where.shared, std::max(word, address), how.name(), caller, other,
             other != &here.write ? "read"
             : other->atomic      ? "atomic"
                                  : "write");
    }
    if (how.write) {
      here.write = now;
      here.read[0] = here.read[1] = {};
    } else {
      const bool first = here.read[0].thread == 0 || ordered(here.read[0]);
      here.read[first ? 0 : 1] = now;
    }
  }
}

/// Whether an address is in shared memory, or nearer to it than to a buffer.
bool machine::looks_shared(std::uintptr_t address) const {
  if (!device_memory::instance().holds(address)) return module_.is_near_shared(address);
  const region* const near = device_memory::instance().nearest(address);
  return near != nullptr && near->shared;
}

/// An address outside of everything. Between the buffers, and between the shared variables of this kernel, the run
/// goes on, for nobody's memory is hit; elsewhere it ends, as on a GPU: going on would read or change memory of the
/// program.
void machine::stray(std::uintptr_t address, std::size_t size, const access_kind& how, const void* caller) {
  const bool harmless = device_memory::instance().holds(address) || module_.is_idle(address, size);
  if (harmless && !how_.detect) return;
  report(fault_kind::out_of_bounds, looks_shared(address), address, how.name(), caller, nullptr, "");
  if (!harmless) abandon(nullptr);
}

/// On a GPU such an access ends the launch. Compilers tell of what is no multiple of 8; see crash.hpp for the rest.
void machine::misaligned(std::uintptr_t address, const char* what, const void* caller) {
  report(fault_kind::misaligned, looks_shared(address), address, what, caller, nullptr, "");
  abandon(nullptr);
}

void machine::keep_trace(std::uintptr_t address, std::size_t size, const char* what, const void* caller) {
  const source_line line = find_line(caller);
  std::uint64_t before = 0;
  std::memcpy(&before, reinterpret_cast<const void*>(address), std::min<std::size_t>(size, sizeof before));
  on_.trace.push_back({current_->number, what, line.file, line.line, address, before});
}

index3 machine::block_index(std::uint32_t number) const {
  return {number % grid_.x, number / grid_.x % grid_.y, number / grid_.x / grid_.y};
}

index3 machine::thread_index(std::uint32_t in_block) const {
  return {in_block % block_size_.x, in_block / block_size_.x % block_size_.y,
          in_block / block_size_.x / block_size_.y};
}

std::string machine::name_of_address(std::uintptr_t address) const {
  const auto bytes = [](std::size_t count) { return std::to_string(count) + " bytes"; };
  const auto& memory = device_memory::instance();
  if (memory.holds(address)) {
    const auto [start, size] = memory.find_released(address);
    if (size != 0) return "released buffer of " + bytes(size) + " + " + std::to_string(address - start);
    const region* const near = memory.nearest(address);
    if (near == nullptr) return "";
    const std::string what = (near->shared ? "dynamic shared memory of " : "buffer of ") + bytes(near->size);
    return address < near->start ? bytes(near->start - address) + " before a " + what
                                 : what + " + " + std::to_string(address - near->start);
  }
  if (extern_shared != nullptr) {
    const std::size_t offset = address - reinterpret_cast<std::uintptr_t>(extern_shared());
    if (offset < most_dynamic_shared)
      return "dynamic shared memory of " + bytes(shared_bytes_) + " + " + std::to_string(offset);
  }
  if (!module_.is_near_shared(address) && !module_.is_global(address)) return "no memory of the device";
  variable found = module_.is_near_shared(address) ? module_.nearest(address) : module_.find(address);
  if (found.name.empty()) return "";
  if (address < found.start) return bytes(found.start - address) + " before " + found.name;
  return address == found.start ? found.name : found.name + " + " + bytes(address - found.start);
}

/// The fault of this kind at these two places: a new one to fill in, or null if it is known (and counted).
fault* machine::add_fault(fault_kind kind, const void* here, const void* other) {
  const auto [at, fresh] = on_.known_faults.try_emplace({kind, here, other}, on_.faults.size());
  if (!fresh) {
    ++on_.faults[at->second].times;
    return nullptr;
  }
  on_.faults.emplace_back().kind = kind;
  return &on_.faults.back();
}

void machine::report(fault_kind kind, bool shared, std::uintptr_t address, const char* what, const void* caller,
                     const record* other, const char* other_what) {
  fault* const found = add_fault(kind, caller, other == nullptr ? nullptr : other->caller);
  if (found == nullptr) return;
  const source_line here = find_line(caller);
  found->space = shared ? "shared" : "global";
  found->variable = name_of_address(address);
  found->here = {block_index(current_->home->number), thread_index(current_->in_block), what, here.file, here.line};
  if (other == nullptr) return;
  const source_line there = find_line(other->caller);
  const std::uint32_t who = other->thread - 1;
  found->other = {block_index(who / threads_a_block_), thread_index(who % threads_a_block_), other_what, there.file,
                  there.line};
}

void machine::report_waiting(fault_kind kind, const thread& here, const char* what, const thread* other,
                             const char* other_what) {
  if (!how_.detect && kind != fault_kind::livelock && kind != fault_kind::deadlock) return;
  fault* const found = add_fault(kind, here.place, other == nullptr ? nullptr : other->place);
  if (found == nullptr) return;
  const source_line at = find_line(here.place);
  found->here = {block_index(here.home->number), thread_index(here.in_block), what, at.file, at.line};
  if (other == nullptr) return;
  const source_line there = find_line(other->place);
  found->other = {block_index(other->home->number), thread_index(other->in_block), other_what, there.file,
                  there.line};
}

void machine::index_out_of_bounds(const char* array, const char* file, int line, std::int64_t index) {
  if (!how_.detect) return;
  const void* const key = reinterpret_cast<const void*>(static_cast<std::uintptr_t>(line));
  fault* const found = add_fault(fault_kind::out_of_bounds, key, file);
  if (found == nullptr) return;
  found->space = "array";
  found->variable = std::string(array) + ", index " + std::to_string(index);
  found->here = {block_index(current_->home->number), thread_index(current_->in_block), "index", file, line};
}

}  // namespace exactdot::simt

// Faults of memory accesses: races, addresses outside of everything, reads of what nobody wrote.
//
// Each access is compared with what is remembered of its four-byte cells: the last write and up to two reads. More
// reads are forgotten, so a race may be missed in one run (another seed shows it), but none is invented.
#include <algorithm>
#include <cstring>

#include "machine.hpp"
#include "symbols.hpp"

namespace exactdot::simt {

void machine::access(std::uintptr_t address, std::size_t size, bool write, bool strong, const void* caller) {
  if (!device_memory::instance().holds(address) && !module_.is_shared(address) && !module_.is_global(address))
    return;
  step(caller);
  notice_repetition(address, size, caller);
  if (how_.trace) keep_trace(address, size, write ? "write" : "read", caller);
  examine(address, size, write, strong, false, caller);
  if (write && !parked_.empty()) unpark(address);
}

void machine::atomic(std::uintptr_t address, std::size_t size, bool block_scope, const void* caller) {
  step(caller);
  notice_repetition(address, size, caller);
  if (how_.trace) keep_trace(address, size, "atomic", caller);
  examine(address, size, true, true, block_scope, caller);
  ++on_.counted.atomics;
  thread& self = *current_;
  if (!self.released_in_block && locations_.empty()) return;
  location& here = locations_[address];
  const std::uint32_t home = self.home->number;
  self.pending_in_block =
      here.block_number == home ? join(self.pending_in_block, here.block) : self.pending_in_block;
  if (block_scope) {
    here.block = here.block_number == home ? join(here.block, self.released_in_block) : self.released_in_block;
    here.block_number = home;
  } else {
    self.pending = join(self.pending, here.device);
    here.device = join(here.device, self.released);
    here.block = here.block_number == home ? join(here.block, self.released_in_block) : self.released_in_block;
    here.block_number = home;
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

void machine::examine(std::uintptr_t address, std::size_t size, bool write, bool atomic, bool block_scope,
                      const void* caller) {
  auto& memory = device_memory::instance();
  const bool in_module = !memory.holds(address);
  const bool in_static = in_module && module_.is_shared(address);
  const char* const what = atomic ? "atomic" : write ? "write" : "read";
  thread& self = *current_;
  allocation* buffer = in_module ? nullptr : memory.find(address);
  bool shared = in_static;
  if (!in_module) {
    const bool foreign = buffer != nullptr && buffer->shared && buffer->block != self.home->number;
    if (buffer == nullptr || foreign || address + size > buffer->start + buffer->size) {
      const allocation* near = memory.below(address);
      if (how_.detect)
        report(fault_kind::out_of_bounds, near != nullptr && near->shared, address, what, caller, nullptr, "");
      return;
    }
    shared = buffer->shared;
  }
  if (!shared) (write ? on_.counted.writes : on_.counted.reads) += 1;
  if (in_static) self.home->shared.touch(address, module_);
  if (!how_.detect) {
    if (buffer != nullptr && write) memory.mark_written(address, size);
    return;
  }
  record now{self.number + 1, self.home->generation, time_now(self), 0, atomic, block_scope, caller};
  for (std::uintptr_t word = address / 4 * 4; word < address + size; word += 4) {
    now.bytes = 0;
    for (unsigned i = 0; i < 4; ++i) {
      if (word + i >= address && word + i < address + size) now.bytes |= static_cast<std::uint8_t>(1U << i);
    }
    cell& here = shared ? self.home->shared.at(word) : memory.cells().at(word);
    if (here.launch != memory.launch()) here = {memory.launch(), {}, {}};
    if (!write || atomic) {
      const bool written =
          in_static ? here.write.thread != 0
                    : buffer == nullptr || buffer->written[(std::max(word, buffer->start) - buffer->start) / 4];
      const bool reads = !write || caller != nullptr;
      if (!written && reads && !(atomic && write && here.write.thread != 0)) {
        report(shared ? fault_kind::uninitialised_shared : fault_kind::uninitialised_global, shared, address, what,
               caller, nullptr, "");
      }
    }
    const record* other = conflicts(here.write, now) ? &here.write : nullptr;
    const char* other_what = here.write.atomic ? "atomic" : "write";
    if (write && other == nullptr) {
      for (const record& read : here.read) {
        if (conflicts(read, now)) other = &read, other_what = "read";
      }
    }
    if (other != nullptr) report(fault_kind::data_race, shared, address, what, caller, other, other_what);
    if (write) {
      here.write = now;
      here.read[0] = here.read[1] = {};
    } else {
      const bool first = here.read[0].thread == 0 || ordered(here.read[0]);
      here.read[first ? 0 : 1] = now;
    }
  }
  if (write && buffer != nullptr) memory.mark_written(address, size);
}

index3 machine::block_index(std::uint32_t number) const {
  return {number % grid_.x, number / grid_.x % grid_.y, number / grid_.x / grid_.y};
}

index3 machine::thread_index(std::uint32_t in_block) const {
  return {in_block % block_size_.x, in_block / block_size_.x % block_size_.y,
          in_block / block_size_.x / block_size_.y};
}

std::string machine::name_of_address(std::uintptr_t address, bool shared) const {
  const auto& memory = device_memory::instance();
  if (!memory.holds(address)) {
    const variable found = module_.find(address);
    if (found.size == 0) return "";
    return address == found.start ? found.name
                                  : found.name + " + " + std::to_string(address - found.start) + " bytes";
  }
  const allocation* near = memory.below(address);
  if (near == nullptr) return "";
  return std::string(shared ? "dynamic shared memory" : "buffer") + " of " + std::to_string(near->size) +
         " bytes + " + std::to_string(address - near->start);
}

void machine::keep_trace(std::uintptr_t address, std::size_t size, const char* what, const void* caller) {
  const source_line at = find_line(caller);
  traced_access& one = on_.trace.emplace_back();
  one.thread = current_->number, one.what = what, one.file = at.file, one.line = at.line, one.address = address;
  std::memcpy(&one.before, reinterpret_cast<const void*>(address), std::min(size, sizeof one.before));
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
  found->variable = name_of_address(address, shared);
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

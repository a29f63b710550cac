// Faults of memory accesses: data races, addresses out of bounds, reads of unwritten memory.
//
// Each access is compared with the shadow cells of its four-byte words: the last write and up to two reads
// (order.hpp). Further reads are dropped, so a run may miss a race that another seed shows. It reports no race that
// is none.
#include <algorithm>
#include <cstring>

#include "machine.hpp"
#include "symbols.hpp"

namespace exactdot::simt {

/// Returns whether no other thread accesses the address: the thread's stack, the kernel's arguments, constants.
bool machine::is_local(std::uintptr_t address) const {
  constexpr std::size_t stack = stack_pool::stack_bytes;
  return address - (reinterpret_cast<std::uintptr_t>(current_->stack) - stack) < stack ||
         address - reinterpret_cast<std::uintptr_t>(call_.arguments) < call_.argument_bytes ||
         module_.is_constant(address);
}

/// Returns the region that contains the range; null if there is none or the thread may not access it.
region* machine::find_region(std::uintptr_t address, std::size_t size) {
  region* found = nullptr;
  if (device_memory::instance().holds(address)) {
    found = device_memory::instance().find(address);
    if (found != nullptr && found->shared && found->block != current_->parent->number) return nullptr;
  } else if (module_.is_shared(address)) {
    found = current_->parent->shared.find(address, module_);
  } else {
    for (region& global : globals_) {
      if (global.holds(address)) found = &global;
    }
  }
  return found != nullptr && found->holds(address, size) ? found : nullptr;
}

/// Scheduling point and checks before every access. Returns null if the access is out of bounds.
region* machine::begin_access(std::uintptr_t address, std::size_t size, const access_kind& kind,
                              const void* caller) {
  step(caller);
  region* const range = find_region(address, size);
  if (range == nullptr) {
    report_out_of_bounds(address, size, kind, caller);
    return nullptr;
  }
  if (settings_.trace) append_trace(address, size, kind.name(), caller);
  detect_repetition(address, size, caller);
  if (settings_.detect) check_access(*range, address, size, kind, caller);
  if (kind.write) range->mark_written(address, size);
  if (kind.atomic) synchronise_through(address, range->shared, kind);
  return range;
}

void machine::access(std::uintptr_t address, std::size_t size, bool write, bool strong, const void* caller) {
  if (is_local(address)) return;
  const region* const range = begin_access(address, size, {!write, write, strong, false}, caller);
  if (range != nullptr && !range->shared) (write ? stream_.counted.writes : stream_.counted.reads) += 1;
  if (write && !parked_.empty()) unpark(address);
}

void machine::atomic(std::uintptr_t address, std::size_t size, bool reads, bool block_scope, const void* caller) {
  if (address % size != 0) misaligned(address, "atomic", caller);
  if (is_local(address)) return;
  begin_access(address, size, {reads, true, true, block_scope, !reads}, caller);
  ++stream_.counted.atomics;
}

/// Release and acquire through an address. A strong write stores the clock that the thread's last fence released; a
/// strong read adds the stored clock to the pending ones, which the next fence acquires. A write alone replaces the
/// stored clock, a read-modify-write joins it. A shared variable has one address in all blocks, so its clocks are
/// per block.
void machine::synchronise_through(std::uintptr_t address, bool shared, const access_kind& kind) {
  thread& self = *current_;
  block& parent = *self.parent;
  if (!self.released_in_block && released_clocks_.empty() && parent.released_clocks.empty()) return;
  const auto release_acquire = [&](clock_pointer& stored, const clock_pointer& released, clock_pointer& pending) {
    if (kind.reads()) pending = join(pending, stored);
    if (kind.write) stored = kind.reads() ? join(stored, released) : released;
  };
  release_acquire(parent.released_clocks[address], self.released_in_block, self.pending_in_block);
  if (shared) return;
  if (!kind.block_scope) release_acquire(released_clocks_[address], self.released, self.pending);
  if (kind.write && !kind.reads()) {
    for (const auto& other : resident_) {
      if (other.get() != &parent) other->released_clocks.erase(address);
    }
  }
}

/// Returns the thread's time for access records; in lock step, its warp's.
std::uint32_t machine::time_of(const thread& member) const {
  return settings_.model == execution::lock_step ? member.parent->warp_steps[member.warp()] : member.time;
}

/// Returns whether an earlier access happens before the current thread's next one.
bool machine::happens_before_current(const access_record& earlier) const {
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
  return self.clock && (self.clock->time_of(number) >= earlier.time ||
                        self.clock->time_of(vector_clock::block_bit | block_number) > earlier.generation);
}

bool machine::conflicts(const access_record& earlier, const access_record& current) const {
  if (earlier.thread == 0 || (earlier.bytes & current.bytes) == 0) return false;
  if (earlier.atomic && current.atomic) {
    const bool same_block = (earlier.thread - 1) / threads_per_block_ == (current.thread - 1) / threads_per_block_;
    if (same_block || (!earlier.block_scope && !current.block_scope)) return false;
  }
  return !happens_before_current(earlier);
}

void machine::check_access(region& range, std::uintptr_t address, std::size_t size, const access_kind& kind,
                           const void* caller) {
  const std::uint32_t launch = device_memory::instance().launch();
  if (kind.read && !range.is_written(address, size)) {
    report(range.shared ? fault_kind::uninitialised_shared : fault_kind::uninitialised_global, range.shared,
           address, kind.name(), caller, nullptr, "");
  }
  access_record current{current_->number + 1,
                        current_->parent->generation,
                        time_of(*current_),
                        0,
                        kind.atomic,
                        kind.block_scope,
                        caller};
  for (std::uintptr_t word = address / 4 * 4; word < address + size; word += 4) {
    current.bytes = 0;
    for (unsigned i = 0; i < 4; ++i) {
      if (word + i >= address && word + i < address + size) current.bytes |= static_cast<std::uint8_t>(1U << i);
    }
    shadow_cell& cell = range.cell_at(word);
    if (cell.launch != launch) cell = {launch, {}, {}};
    const access_record* other = conflicts(cell.write, current) ? &cell.write : nullptr;
    if (kind.write && other == nullptr) {
      for (const access_record& read : cell.read) {
        if (conflicts(read, current)) other = &read;
      }
    }
    if (other != nullptr) {
      report(fault_kind::data_race, range.shared, std::max(word, address), kind.name(), caller, other,
             other != &cell.write ? "read"
             : other->atomic      ? "atomic"
                                  : "write");
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
  report(fault_kind::out_of_bounds, looks_shared(address), address, kind.name(), caller, nullptr, "");
  if (!harmless) end_launch(nullptr);
}

/// Reports a misaligned access and ends the launch, as on a GPU. Compilers report addresses that are no multiple of
/// 8; crash.hpp detects the others.
void machine::misaligned(std::uintptr_t address, const char* action, const void* caller) {
  report(fault_kind::misaligned, looks_shared(address), address, action, caller, nullptr, "");
  end_launch(nullptr);
}

void machine::append_trace(std::uintptr_t address, std::size_t size, const char* action, const void* caller) {
  const source_line line = find_line(caller);
  std::uint64_t before = 0;
  std::memcpy(&before, reinterpret_cast<const void*>(address), std::min<std::size_t>(size, sizeof before));
  stream_.trace.push_back({current_->number, action, line.file, line.line, address, before});
}

index3 machine::block_index(std::uint32_t number) const {
  return {number % grid_.x, number / grid_.x % grid_.y, number / grid_.x / grid_.y};
}

index3 machine::thread_index(std::uint32_t index_in_block) const {
  return {index_in_block % block_size_.x, index_in_block / block_size_.x % block_size_.y,
          index_in_block / block_size_.x / block_size_.y};
}

std::string machine::name_of_address(std::uintptr_t address) const {
  const auto bytes = [](std::size_t count) { return std::to_string(count) + " bytes"; };
  const auto& memory = device_memory::instance();
  if (memory.holds(address)) {
    const auto [start, size] = memory.find_released(address);
    if (size != 0) return "released buffer of " + bytes(size) + " + " + std::to_string(address - start);
    const region* const nearest = memory.nearest(address);
    if (nearest == nullptr) return "";
    const std::string name = (nearest->shared ? "dynamic shared memory of " : "buffer of ") + bytes(nearest->size);
    return address < nearest->start ? bytes(nearest->start - address) + " before a " + name
                                    : name + " + " + std::to_string(address - nearest->start);
  }
  if (extern_shared != nullptr) {
    const std::size_t offset = address - reinterpret_cast<std::uintptr_t>(extern_shared());
    if (offset < max_dynamic_shared)
      return "dynamic shared memory of " + bytes(shared_bytes_) + " + " + std::to_string(offset);
  }
  if (!module_.is_near_shared(address) && !module_.is_global(address)) return "not device memory";
  variable found = module_.is_near_shared(address) ? module_.nearest(address) : module_.find(address);
  if (found.name.empty()) return "";
  if (address < found.start) return bytes(found.start - address) + " before " + found.name;
  return address == found.start ? found.name : found.name + " + " + bytes(address - found.start);
}

/// Returns a new fault of this kind at these two sites, to fill in. Returns null if the stream has it already; then
/// it is counted.
fault* machine::add_fault(fault_kind kind, const void* site, const void* other_site) {
  const auto [at, fresh] = stream_.known_faults.try_emplace({kind, site, other_site}, stream_.faults.size());
  if (!fresh) {
    ++stream_.faults[at->second].times;
    return nullptr;
  }
  stream_.faults.emplace_back().kind = kind;
  return &stream_.faults.back();
}

void machine::report(fault_kind kind, bool shared, std::uintptr_t address, const char* action, const void* caller,
                     const access_record* other, const char* other_action) {
  fault* const found = add_fault(kind, caller, other == nullptr ? nullptr : other->caller);
  if (found == nullptr) return;
  const source_line line = find_line(caller);
  found->space = shared ? "shared" : "global";
  found->variable = name_of_address(address);
  found->site = {block_index(current_->parent->number), thread_index(current_->index_in_block), action, line.file,
                 line.line};
  if (other == nullptr) return;
  const source_line other_line = find_line(other->caller);
  const std::uint32_t number = other->thread - 1;
  found->other_site = {block_index(number / threads_per_block_), thread_index(number % threads_per_block_),
                       other_action, other_line.file, other_line.line};
}

void machine::report_waiting(fault_kind kind, const thread& waiting, const char* action, const thread* other,
                             const char* other_action) {
  if (!settings_.detect && kind != fault_kind::livelock && kind != fault_kind::deadlock) return;
  fault* const found =
      add_fault(kind, waiting.program_counter, other == nullptr ? nullptr : other->program_counter);
  if (found == nullptr) return;
  const source_line line = find_line(waiting.program_counter);
  found->site = {block_index(waiting.parent->number), thread_index(waiting.index_in_block), action, line.file,
                 line.line};
  if (other == nullptr) return;
  const source_line other_line = find_line(other->program_counter);
  found->other_site = {block_index(other->parent->number), thread_index(other->index_in_block), other_action,
                       other_line.file, other_line.line};
}

void machine::index_out_of_bounds(const char* array, const char* file, int line, std::int64_t index) {
  if (!settings_.detect) return;
  const void* const key = reinterpret_cast<const void*>(static_cast<std::uintptr_t>(line));
  fault* const found = add_fault(fault_kind::out_of_bounds, key, file);
  if (found == nullptr) return;
  found->space = "array";
  found->variable = std::string(array) + ", index " + std::to_string(index);
  found->site = {block_index(current_->parent->number), thread_index(current_->index_in_block), "index", file,
                 line};
}

}  // namespace exactdot::simt

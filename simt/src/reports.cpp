// Reports: faults with the names of variables and source lines, and the trace of accesses.
#include <algorithm>
#include <cstring>
#include <string>

#include "machine.hpp"
#include "symbols.hpp"

namespace exactdot::simt {

void machine::append_trace(std::uintptr_t address, std::size_t size, const char* action, const void* caller) {
  const source_line line = line_of(caller);
  std::uint64_t before = 0;
  std::memcpy(&before, reinterpret_cast<const void*>(address), std::min<std::size_t>(size, sizeof before));
  stream_.trace.push_back({current_->number, action, line.file, line.line, address, before});
}

/// Returns the source line of a return address; that of the kernel if all frames are in the simulator's headers.
source_line machine::line_of(const void* caller) const {
  const source_line line = find_line(caller);
  return line.file.find(own_headers) == std::string::npos ? line : find_line(call_.kernel);
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

/// Reports a fault of the current thread at a place in memory.
void machine::report(fault_kind kind, const location& place, const char* action, const void* caller,
                     const access_record* other, const char* other_action, const std::string& detail) {
  if (!settings_.detect && kind != fault_kind::out_of_bounds && kind != fault_kind::misaligned) return;
  fault* const found = add_fault(kind, caller, other == nullptr ? nullptr : other->caller);
  if (found == nullptr) return;
  const source_line line = line_of(caller);
  const bool shared = place.range != nullptr ? place.range->shared : looks_shared(place.address);
  found->space = shared ? "shared" : "global";
  found->variable = name_of_address(place.address);
  if (place.owner != nullptr && place.owner != current_->parent)
    found->variable += ", in block " + std::to_string(place.owner->number);
  if (!detail.empty()) found->variable += (found->variable.empty() ? "" : ": ") + detail;
  found->site = {block_index(current_->parent->number), thread_index(current_->index_in_block), action, line.file,
                 line.line};
  if (other == nullptr) return;
  const source_line other_line = line_of(other->caller);
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
  const source_line line = line_of(waiting.program_counter);
  found->site = {block_index(waiting.parent->number), thread_index(waiting.index_in_block), action, line.file,
                 line.line};
  if (other == nullptr) return;
  const source_line other_line = line_of(other->program_counter);
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

// Reports: faults with the names of variables and source lines, and the trace of accesses.
#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <utility>

#include "machine.hpp"
#include "program_variables.hpp"
#include "symbols.hpp"

namespace exactdot::simt {

void machine::append_trace(std::uintptr_t address, std::size_t size, const char* action, const void* caller) {
  const source_line line = line_of(caller);
  std::uint64_t before = 0;
  std::memcpy(&before, reinterpret_cast<const void*>(address), std::min<std::size_t>(size, sizeof before));
  stream_.trace.push_back({current_->number, action, line.file, line.line, address, before});
}

/// Returns the source line of a return address; that of the kernel if all frames are in headers of the simulator or
/// of the standard library.
source_line machine::line_of(const void* caller) const {
  const source_line line = find_line(caller);
  return is_foreign(line.file) ? find_line(call_.kernel) : line;
}

/// Returns the innermost return address of a thread's calls whose line is the user's, from that of `caller`
/// outwards.
const void* machine::calling_user_code(const thread& self, const void* caller) const {
  for (std::size_t i = self.calls.size(); i > 1; --i) {  // the first one is a call by the simulator
    if (is_user_code(self.calls[i - 1])) return self.calls[i - 1];
  }
  return caller;
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
  if (!module_.is_near_shared(address) && !module_.is_global(address))
    return address < 4096 ? "a null pointer" : "host memory";
  if (is_host_variable(address)) {
    const detail::program_variable& variable = *find_program_variable(address);
    const std::uintptr_t offset = address - reinterpret_cast<std::uintptr_t>(variable.address);
    return std::string("host memory, variable ") + variable.name + (offset == 0 ? "" : " + " + bytes(offset));
  }
  variable found = module_.is_near_shared(address) ? module_.nearest(address) : module_.find(address);
  if (found.name.empty()) return "";
  if (address < found.start) return bytes(found.start - address) + " before " + found.name;
  return address == found.start ? found.name : found.name + " + " + bytes(address - found.start);
}

fault_site machine::site_of(std::uint32_t number, const char* action, const void* caller) const {
  const source_line line = line_of(caller);
  return {block_index(number / threads_per_block_), thread_index(number % threads_per_block_), action, line.file,
          line.line};
}

/// Returns a new fault of this kind at these two sites, to fill in. Returns null if the stream has it already; then
/// it is counted. A race on two lines is one fault, whichever of them reads or comes first.
fault* machine::add_fault(fault_kind kind, const void* key, const void* other_key, std::string_view action,
                          std::string_view other_action, const source_line& line, const source_line& other_line) {
  found_fault_ = true;
  auto& faults = stream_.faults;
  const auto [at, fresh] = stream_.known_faults.try_emplace({kind, key, other_key, action}, faults.size());
  if (fresh && line.line != 0) {
    const auto text_of = [](const source_line& place, std::string_view done) {
      return place.file.substr(place.file.rfind('/') + 1) + ":" + std::to_string(place.line) + " " +
             std::string(done);
    };
    std::string first = text_of(line, action), second = text_of(other_line, other_action);
    if (kind == fault_kind::data_race && second < first) std::swap(first, second);
    // an access beyond an array follows the finding of its index
    const auto by_index = stream_.known_lines.find({kind, text_of(line, "index"), second});
    if (kind == fault_kind::out_of_bounds && by_index != stream_.known_lines.end()) {
      at->second = by_index->second;
    } else {
      at->second = stream_.known_lines.try_emplace({kind, first, second}, faults.size()).first->second;
    }
  }
  if (recording_) recording_->note_fault(current_->number, at->second);
  if (at->second != faults.size()) {
    ++faults[at->second].times;
    return nullptr;
  }
  fault& found = faults.emplace_back();
  found.kind = kind;
  found.fix = fix_of(kind);
  return &found;
}

fault* machine::add_fault(fault_kind kind, const void* site, const void* other_site, std::string_view action,
                          std::string_view other_action) {
  const auto known = stream_.known_faults.find({kind, site, other_site, action});
  if (known == stream_.known_faults.end())
    return add_fault(kind, site, other_site, action, other_action, line_of(site),
                     other_site == nullptr ? source_line{} : line_of(other_site));
  found_fault_ = true;
  if (recording_) recording_->note_fault(current_->number, known->second);
  ++stream_.faults[known->second].times;
  return nullptr;
}

/// Reports a fault of the current thread at a place in memory.
void machine::report(fault_kind kind, const location& place, const char* action, const void* caller,
                     const access_record* other, const char* other_action, const std::string& detail) {
  if (!settings_.detect && kind != fault_kind::out_of_bounds && kind != fault_kind::misaligned) return;
  const void* const site = attributed(*current_, caller);
  fault* const found = add_fault(kind, site, other == nullptr ? nullptr : other->caller(), action, other_action);
  if (found == nullptr) return;
  const bool shared = place.range != nullptr ? place.range->shared : looks_shared(place.address);
  found->space = shared ? "shared" : "global";
  found->variable = name_of_address(place.address);
  if (place.owner != nullptr && place.owner != current_->parent)
    found->variable += ", in block " + std::to_string(place.owner->number);
  const auto& memory = device_memory::instance();
  if (kind == fault_kind::out_of_bounds && memory.holds(place.address) &&
      memory.find_released(place.address).second == 0)
    found->fix = "a guard such as if (i < n)";
  if (kind == fault_kind::out_of_bounds && found->variable.starts_with("dynamic shared memory of 0 bytes")) {
    found->cause = "the launch gives the kernel no dynamic shared memory";
    found->fix = "its bytes as the third value of <<<grid, block, bytes>>>";
  }
  if (kind == fault_kind::out_of_bounds && found->variable.starts_with("host memory")) {
    found->cause = "a kernel cannot use the host's memory";
    found->fix = "memory of cudaMalloc and cudaMemcpy, or managed memory";
  }
  if (!detail.empty()) found->variable += (found->variable.empty() ? "" : ": ") + detail;
  found->site = site_of(current_->number, action, site);
  if (other != nullptr) found->other_site = site_of(other->thread - 1, other_action, other->caller());
}

/// Reports a race, or counts it. A finding shows the widest relation that was sighted: blocks rather than lanes.
void machine::report_race(const location& place, const char* action, const access_record& current,
                          const access_record& other, const char* other_action, race_relation relation) {
  if (!settings_.detect) return;
  forget_explained(current.thread - 1, other.thread - 1);
  forget_explained(other.thread - 1, current.thread - 1);
  const bool fresh = add_fault(fault_kind::data_race, current.caller(), other.caller()) != nullptr;
  const std::size_t index = stream_.known_faults.at({fault_kind::data_race, current.caller(), other.caller(), ""});
  if (recording_) recording_->note_other_side(current.thread - 1, other.thread - 1);
  const bool two_writes = std::strcmp(action, "write") == 0 && std::strcmp(other_action, "write") == 0;
  const bool in_place = place.owner == nullptr || place.owner == current_->parent;
  if (two_writes && in_place && current.thread == current_->number + 1 && !current.asynchronous)
    compare_values_written(place.address, current, index);
  race_sightings& seen = stream_.races.try_emplace(index, race_sightings{relation}).first->second;
  const bool shows = fresh || (relation <= race_relation::blocks && relation > seen.widest);
  const bool is_overwrite = two_writes && current.blind && other.blind;
  const bool updates = two_writes && !is_overwrite && !std::exchange(seen.has_update, true);
  if (shows || updates) {
    fault& found = stream_.faults[index];
    if (shows) {
      seen.widest = relation;
      found.space = place.range->shared ? "shared" : "global";
      found.variable = name_of_address(place.address);
      if (place.owner != nullptr && place.owner->number != (current.thread - 1) / threads_per_block_)
        found.variable += ", in block " + std::to_string(place.owner->number);
      found.site = site_of(current.thread - 1, action, current.caller());
      found.other_site = site_of(other.thread - 1, other_action, other.caller());
    }
    const bool reads = std::strcmp(action, "read") == 0 || std::strcmp(other_action, "read") == 0;
    const bool same_line = found.site.line == found.other_site.line && found.site.file == found.other_site.file;
    race_facts facts{seen.widest, current.is_volatile && other.is_volatile, same_line && seen.has_update,
                     is_overwrite};
    add_atomic_facts(facts, current, other, reads);
    explain_race(found, facts);
  }
  if (std::strcmp(other_action, "read") == 0) absorb_unwritten_read(other, index);
}

/// The write of a race follows a read that was reported because nothing had been written yet: it is one fault.
void machine::absorb_unwritten_read(const access_record& read, std::size_t race) {
  for (const fault_kind kind : {fault_kind::uninitialised_shared, fault_kind::uninitialised_global}) {
    const auto known = stream_.known_faults.find({kind, read.caller(), nullptr, "read"});
    if (known == stream_.known_faults.end() || stream_.faults[known->second].kind != kind) continue;
    const std::size_t unwritten = known->second;
    const auto moved = [=](std::size_t index) {
      const std::size_t kept = index == unwritten ? race : index;
      return kept > unwritten ? kept - 1 : kept;
    };
    for (auto& [key, index] : stream_.known_faults) index = moved(index);
    for (auto& [key, index] : stream_.known_lines) index = moved(index);
    std::unordered_map<std::size_t, race_sightings> races;
    for (const auto& [index, seen] : stream_.races) races.emplace(moved(index), seen);
    stream_.races = std::move(races);
    comparison_.fault = moved(comparison_.fault);
    stream_.faults.erase(stream_.faults.begin() + static_cast<std::ptrdiff_t>(unwritten));
    if (recording_) recording_->merge_fault(unwritten, race);
    return;
  }
}

/// Notes what the memory holds: what the other thread wrote. The current thread's value is there at its next step.
void machine::compare_values_written(std::uintptr_t address, const access_record& current, std::size_t fault) {
  if (stream_.faults[fault].values == written_values::different) return;
  comparison_.fault = fault;
  comparison_.writer = current_;
  comparison_.address = address;
  comparison_.size = static_cast<std::size_t>(std::popcount(static_cast<unsigned>(current.bytes)));
  std::memcpy(comparison_.before, reinterpret_cast<const void*>(address), comparison_.size);
}

/// Called before the writer's next step, so that no other thread has run since its write.
void machine::finish_comparison() {
  const bool same =
      std::memcmp(comparison_.before, reinterpret_cast<const void*>(comparison_.address), comparison_.size) == 0;
  fault& found = stream_.faults[comparison_.fault];
  if (found.values != written_values::different)
    found.values = same ? written_values::same : written_values::different;
  comparison_.writer = nullptr;
}

fault* machine::report_waiting(fault_kind kind, const thread& waiting, const char* action, const thread* other,
                               const char* other_action) {
  if (!settings_.detect && kind != fault_kind::livelock && kind != fault_kind::deadlock) return nullptr;
  const auto site_of_wait = [this](const thread& each) {
    const bool is_past_it = each.status == thread_status::parked && each.repeated_by != nullptr;
    return is_past_it ? each.repeated_by : attributed(each, each.program_counter);
  };
  const void* const site = site_of_wait(waiting);
  const void* const other_site = other == nullptr ? nullptr : site_of_wait(*other);
  const bool has_exited = other != nullptr && other->status == thread_status::exited;  // its last line says little
  fault* const found = add_fault(kind, site, has_exited ? nullptr : other_site, action, other_action);
  if (found == nullptr) return nullptr;
  found->site = site_of(waiting.number, action, site);
  if (other != nullptr) found->other_site = site_of(other->number, other_action, other_site);
  return found;
}

/// A shuffle has read a lane that did not take part. Lanes that the mask names and that run elsewhere have been
/// reported already.
void machine::report_absent_lane(std::uint32_t mask, std::uint32_t source, const void* caller) {
  if (!settings_.detect) return;
  const thread& self = *current_;
  const std::uint32_t index = self.warp() * 32 + source;
  const bool exists = index < threads_per_block_, in_mask = (mask >> source & 1U) != 0;
  const bool has_exited = exists && self.parent->threads[index].status == thread_status::exited;
  if (in_mask && exists && !has_exited) return;
  const void* const site = attributed(self, caller);
  fault* const found = add_fault(fault_kind::missing_lanes, site, nullptr, "shuffle");
  if (found == nullptr) return;
  found->variable = "lane " + std::to_string(source) +
                    (!exists    ? ": the block has " + std::to_string(threads_per_block_) + " threads"
                     : !in_mask ? " is not in the mask"
                                : " has ended");
  found->site = site_of(self.number, "shuffle", site);
  found->cause = "the value of a lane that does not call the shuffle is undefined";
}

void machine::report_width(int width, const void* caller) {
  if (!settings_.detect) return;
  const void* const site = attributed(*current_, caller);
  fault* const found = add_fault(fault_kind::invalid_width, site, nullptr);
  if (found == nullptr) return;
  found->variable = "width " + std::to_string(width);
  found->site = site_of(current_->number, "shuffle", site);
}

/// The bytes between a function's arrays and its return address have changed.
void machine::stack_array_overrun(const void* caller) {
  const void* const site = attributed(*current_, caller);
  if (fault* const found = add_fault(fault_kind::out_of_bounds, site, nullptr)) {
    found->space = "array";
    found->variable = "past the end of a local array";
    found->site = site_of(current_->number, "return from the function that declares it", site);
  }
  end_launch_by(fault_kind::out_of_bounds);
}

void machine::index_out_of_bounds(const char* array, const char* file, int line, const std::string& index) {
  if (!settings_.detect) return;
  const void* const key = reinterpret_cast<const void*>(static_cast<std::uintptr_t>(line));
  fault* const found = add_fault(fault_kind::out_of_bounds, key, file, "index", "", {file, line}, {});
  if (found == nullptr) return;
  found->space = "array";
  found->variable = std::string(array) + ", " + index;
  found->site = site_of(current_->number, "index", nullptr);
  found->site.file = file, found->site.line = line;
}

}  // namespace exactdot::simt

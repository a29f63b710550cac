// Accesses of the host and copies, against the launches that last touched the same words.
#include <algorithm>
#include <utility>

#include "context.hpp"
#include "machine.hpp"
#include "symbols.hpp"
#include "unread.hpp"

namespace exactdot::simt {
namespace {

struct conflict {
  const access_record* access = nullptr;  // null: none
  std::uintptr_t address = 0;
  std::uint32_t launch = 0;
  bool writes = false;
};

/// Returns the first access of a kernel in a range that conflicts with one that writes, or only reads, there.
/// `is_unordered`: whether a launch counts.
template <class Predicate>
conflict find_conflict(const region& buffer, const copied_range& range, Predicate is_unordered) {
  const std::uintptr_t end = std::min(range.first + range.bytes, buffer.start + buffer.size);
  for (std::uintptr_t at = std::max(range.first / 4 * 4, buffer.start); at < end; at += 4) {
    const shadow_cell* const cell = buffer.find_cell(at);
    if (cell == nullptr || cell->launch == 0 || !range.intersects(at, at + 4) || !is_unordered(cell->launch))
      continue;
    if (cell->write.thread != 0) return {&cell->write, at, cell->launch, true};
    if (range.write && cell->read[0].thread != 0) return {&cell->read[0], at, cell->launch, false};
  }
  return {};
}

}  // namespace

bool copied_range::intersects(std::uintptr_t begin, std::uintptr_t end) const {
  begin = std::max(begin, first), end = std::min(end, first + bytes);
  if (begin >= end) return false;
  if (pitch == 0) return true;
  const std::size_t in_row = (begin - first) % pitch;
  return in_row < width || begin - in_row + pitch < end;
}

bool copied_range::overlaps(const copied_range& other) const {
  if (pitch == 0) return other.intersects(first, first + bytes);
  for (std::size_t row = 0; row < bytes; row += pitch) {
    if (other.intersects(first + row, first + row + width)) return true;
  }
  return false;
}

void runtime_context::report_unordered(const region& buffer, std::uintptr_t address, const fault_site& host,
                                       const fault_site& kernel, const char* cause) {
  detail::stream_state& state = stream.state();
  const auto text_of = [](const fault_site& site) { return site.file + ":" + std::to_string(site.line); };
  const auto [at, fresh] = state.known_lines.try_emplace(
      {fault_kind::missing_synchronisation, text_of(host) + host.action, text_of(kernel) + kernel.action},
      state.faults.size());
  if (!fresh) {
    ++state.faults[at->second].times;
    return;
  }
  fault& found = state.faults.emplace_back();
  found.kind = fault_kind::missing_synchronisation;
  found.space = "global";
  found.variable =
      "buffer of " + std::to_string(buffer.size) + " bytes + " + std::to_string(address - buffer.start);
  found.site = host, found.other_site = kernel;
  found.cause = cause, found.fix = fix_of(found.kind);
}

fault_site runtime_context::host_site(const char* action, const void* caller) {
  const source_line line = find_line(user_call(caller));
  fault_site site;
  site.by_host = true, site.action = action, site.file = line.file, site.line = line.line;
  return site;
}

void runtime_context::check_host_order(const region& buffer, std::uintptr_t address, bool write,
                                       const void* caller) {
  for (const noted_copy& copy : unordered_copies_) {
    const bool conflicts = (write || copy.range.write) && copy.range.intersects(address, address + 1);
    if (!conflicts || order.precedes_host(copy.work)) continue;
    return report_unordered(buffer, address, host_site(write ? "write" : "read", caller),
                            host_site(copy.range.action, copy.range.caller),
                            "the host has not waited for the copy");
  }
  const auto unordered = [&](std::uint32_t launch) { return !order.precedes_host(operation_of(launch)); };
  const conflict found = find_conflict(buffer, {address, 1, write, "", caller}, unordered);
  if (found.access == nullptr) return;
  report_unordered(buffer, address, host_site(write ? "write" : "read", caller),
                   site_of_kernel(found.launch, *found.access, found.writes ? "write" : "read"),
                   "the host has not waited for the kernel");
}

void runtime_context::begin_copy(const copied_range& range) {
  const stream_order::operation now = order.begin(current_stream);
  std::erase_if(unordered_copies_, [&](const noted_copy& earlier) { return order.precedes_host(earlier.work); });
  check_range(range);
  if (device_memory::instance().find(range.first) == nullptr) return;
  constexpr std::size_t max_copies = 256;  // earlier ones are forgotten
  if (unordered_copies_.size() >= max_copies) unordered_copies_.erase(unordered_copies_.begin());
  unordered_copies_.push_back({range, now});
}

void runtime_context::begin_copy_on(const copied_range& range, cudaStream_t of) {
  const cudaStream_t before = std::exchange(current_stream, of);
  begin_copy(range);
  current_stream = before;
}

void runtime_context::begin_release(const copied_range& range, cudaStream_t of) {
  begin_copy_on(range, of);
  std::erase_if(unordered_copies_,
                [&](const noted_copy& earlier) { return earlier.range.first - range.first < range.bytes; });
}

/// Work of the current stream on a range, against the copies and launches that nothing orders before it.
void runtime_context::check_range(const copied_range& range) {
  region* const buffer = device_memory::instance().find(range.first);
  if (buffer == nullptr || order.all_precede(current_stream)) return;
  for (const noted_copy& earlier : unordered_copies_) {
    const copied_range& other = earlier.range;
    if (!(range.write || other.write) || order.precedes(earlier.work, current_stream) || !range.overlaps(other))
      continue;
    return report_unordered(*buffer, std::max(range.first, other.first), host_site(range.action, range.caller),
                            host_site(other.action, other.caller), unordered_streams);
  }
  const auto unordered = [&](std::uint32_t launch) {
    return !order.precedes(operation_of(launch), current_stream);
  };
  const conflict found = find_conflict(*buffer, range, unordered);
  if (found.access == nullptr) return;
  report_unordered(*buffer, found.address, host_site(range.action, range.caller),
                   site_of_kernel(found.launch, *found.access, found.writes ? "write" : "read"), unordered_streams);
}

stream_order::operation runtime_context::operation_of(std::uint32_t launch) const {
  return launch < launches_.size() ? launches_[launch] : stream_order::operation{};
}

void runtime_context::begin_launch(cudaStream_t of) {
  current_stream = of;
  const std::uint32_t launch = device_memory::instance().launch() + 1;
  launches_.resize(launch + 1);
  launches_[launch] = order.begin(of);
  auto& is_unordered = stream.state().is_unordered;
  is_unordered = nullptr;
  if (order.all_precede(of)) return;
  is_unordered = [=, this](std::uint32_t other) { return !order.precedes(operation_of(other), of); };
}

/// Copies that nothing orders before the launch that has ended.
void runtime_context::check_copies_before(cudaStream_t of) {
  const std::uint32_t launch = device_memory::instance().launch();
  for (const noted_copy& copy : unordered_copies_) {
    if (order.precedes(copy.work, of)) continue;
    const region* const buffer = device_memory::instance().find(copy.range.first);
    if (buffer == nullptr) continue;
    const conflict found = find_conflict(*buffer, copy.range, [=](std::uint32_t other) { return other == launch; });
    if (found.access == nullptr) continue;
    report_unordered(*buffer, found.address, host_site(copy.range.action, copy.range.caller),
                     site_of_kernel(found.launch, *found.access, found.writes ? "write" : "read"),
                     unordered_streams);
  }
}

}  // namespace exactdot::simt

// Costs: requests of a warp, their sectors of 32 bytes, and passes over the 32 banks of shared memory.
//
// Sectors: CUDA C++ Programming Guide, "Device Memory Accesses". Banks: the same, "Shared Memory", compute
// capability 5.0 and later: a word of 4 bytes a bank and pass; lanes that read the same word share it. Lanes with 8
// bytes pass by half warps, with 16 bytes by quarters.
#include "costs.hpp"

#include <algorithm>
#include <cstdio>
#include <map>

#include "machine.hpp"

extern dim3 simt_block_size asm("blockDim"), simt_grid_size asm("gridDim");

namespace exactdot::simt {
namespace {

constexpr std::uintptr_t sector = 32, banks = 32, word = 4;

const char* action_of(cost_kind kind) {
  switch (kind) {
    case cost_kind::global_read:
    case cost_kind::shared_read:
      return "read";
    case cost_kind::global_write:
    case cost_kind::shared_write:
      return "write";
    case cost_kind::global_atomic:
    case cost_kind::shared_atomic:
      return "atomic";
    case cost_kind::global_copy:
    case cost_kind::shared_copy:
      return "copy";
    case cost_kind::barrier:
      return "barrier";
    case cost_kind::collective:
      return "collective";
  }
  return "";
}

const char* space_of(cost_kind kind) {
  return kind == cost_kind::barrier || kind == cost_kind::collective ? ""
         : kind == cost_kind::shared_read || kind == cost_kind::shared_write || kind == cost_kind::shared_atomic ||
                 kind == cost_kind::shared_copy
             ? "shared"
             : "global";
}

/// Compilers read the sizes of blocks and grids as memory; a GPU has them in constants.
bool is_part_of(const dim3& sizes, std::uintptr_t address) {
  return address - reinterpret_cast<std::uintptr_t>(&sizes) < sizeof sizes;
}

bool is_atomic(cost_kind kind) { return kind == cost_kind::global_atomic || kind == cost_kind::shared_atomic; }
bool is_plain(cost_kind kind) {
  return kind == cost_kind::global_read || kind == cost_kind::global_write || kind == cost_kind::shared_read ||
         kind == cost_kind::shared_write;
}

std::uint64_t count_distinct(std::vector<std::uintptr_t>& values) {
  std::sort(values.begin(), values.end());
  return static_cast<std::uint64_t>(std::unique(values.begin(), values.end()) - values.begin());
}

/// Appends the units of `size` bytes that a range touches.
void append_units(std::vector<std::uintptr_t>& units, std::uintptr_t address, std::uint32_t bytes,
                  std::uintptr_t size) {
  for (std::uintptr_t unit = address / size; unit <= (address + bytes - 1) / size; ++unit) units.push_back(unit);
}

}  // namespace

cost_counter::~cost_counter() {
  while (!blocks_.empty()) finish_block(blocks_.begin()->first);
}

std::uint32_t cost_counter::add_site(cost_kind kind, const source_line& line) {
  const auto known = std::find_if(lines_.begin(), lines_.end(), [&](const line_costs& each) {
    return each.line == line.line && each.file == line.file && each.kernel == kernel_ &&
           each.action == action_of(kind) && each.space == space_of(kind);
  });
  const auto index = static_cast<std::size_t>(known - lines_.begin());
  if (known == lines_.end()) {
    line_costs& fresh = lines_.emplace_back();
    fresh.kernel = kernel_, fresh.file = line.file, fresh.line = line.line;
    fresh.action = action_of(kind), fresh.space = space_of(kind);
  }
  sites_.push_back({kind, index});
  return static_cast<std::uint32_t>(sites_.size() - 1);
}

std::uint32_t cost_counter::lanes_of_warp(std::uint32_t warp) const {
  return std::min(32U, threads_per_block_ - warp * 32);
}

/// Returns whether an access belongs to the vector whose first members are pending: another call site at the same
/// line, the next address, the same 16 bytes.
bool cost_counter::extends(const pending_access& pending, const event& each, std::uint32_t at) const {
  constexpr std::uintptr_t vector = 16;
  return pending.site != none && is_plain(each.kind) && pending.first.kind == each.kind &&
         sites_[pending.site].line == sites_[at].line && each.address == pending.end &&
         pending.first.address / vector == (each.address + each.size - 1) / vector &&
         std::find(pending.callers.begin(), pending.callers.end(), each.caller) == pending.callers.end();
}

void cost_counter::note(const event& each, std::uint32_t at) {
  block_costs& block = blocks_[each.block];
  if (block.pending.empty()) {
    block.pending.resize(threads_per_block_);
    block.warps.resize((threads_per_block_ + 31) / 32);
  }
  pending_access& pending = block.pending[each.thread];
  if (extends(pending, each, at)) {
    pending.end += each.size;
    pending.callers.push_back(each.caller);
    return;
  }
  flush(block, pending);
  pending.first = each, pending.site = at, pending.end = each.address + each.size;
  pending.callers.assign(1, each.caller);
}

/// Adds the pending access of a thread to the request that it belongs to, and counts a request that is complete.
void cost_counter::flush(block_costs& block, pending_access& pending) {
  if (pending.site == none) return;
  const std::uint32_t warp = pending.first.thread / 32, lane = pending.first.thread % 32;
  const site& at = sites_[pending.site];
  site_of_warp& warp_site = block.warps[warp][pending.site];
  const std::uint64_t number = pending.first.step != 0 ? pending.first.step : warp_site.next[lane]++;
  const auto found = warp_site.open.try_emplace(number).first;
  found->second.push_back(
      {lane, static_cast<std::uint32_t>(pending.end - pending.first.address), pending.first.address});
  pending.site = none;
  const bool complete = found->second.size() == lanes_of_warp(warp);
  if (!complete && warp_site.open.size() <= max_open) return;
  const auto counted = complete ? found : warp_site.open.begin();
  count(at, pending.first.block, counted->second);
  warp_site.open.erase(counted);
}

void cost_counter::count(const site& at, std::uint32_t block, const request& lanes) {
  line_costs& line = lines_[at.line];
  ++line.requests;
  line.lanes += lanes.size();
  if (*space_of(at.kind) == '\0') return;
  for (const lane_access& lane : lanes) line.bytes += lane.size;
  const bool shared = line.space == "shared";
  if (is_atomic(at.kind)) {
    for (const lane_access& lane : lanes)
      line.longest_queue = std::max(line.longest_queue, ++queues_[{at.line, shared ? block : 0, lane.address}]);
  }
  std::vector<std::uintptr_t> units;
  if (!shared) {
    for (const lane_access& lane : lanes) append_units(units, lane.address, lane.size, sector);
    line.sectors += count_distinct(units);
    return;
  }
  if (is_atomic(at.kind)) return;
  std::uint32_t largest = 1;
  for (const lane_access& lane : lanes) largest = std::max(largest, lane.size);
  if (largest > 16) {  // in bulk
    const std::uint64_t passes = (largest + banks * word - 1) / (banks * word);
    line.wavefronts += passes, line.ideal += passes;
    return;
  }
  const std::uint32_t lanes_per_pass = largest <= 4 ? 32 : largest <= 8 ? 16 : 8;
  for (std::uint32_t first = 0; first < 32; first += lanes_per_pass) {
    units.clear();
    for (const lane_access& lane : lanes) {
      if (lane.lane - first < lanes_per_pass) append_units(units, lane.address, lane.size, word);
    }
    if (units.empty()) continue;
    units.resize(count_distinct(units));
    std::array<std::uint64_t, banks> words{};
    for (const std::uintptr_t unit : units) ++words[unit % banks];
    line.wavefronts += *std::max_element(words.begin(), words.end());
    ++line.ideal;
  }
}

void cost_counter::finish_block(std::uint32_t number) {
  const auto at = blocks_.find(number);
  if (at == blocks_.end()) return;
  block_costs& block = at->second;
  for (pending_access& pending : block.pending) flush(block, pending);
  for (const auto& warp : block.warps) {
    for (const auto& [index, warp_site] : warp) {
      for (const auto& [order, lanes] : warp_site.open) count(sites_[index], number, lanes);
    }
  }
  blocks_.erase(at);
}

/// Counts an access, a barrier or a warp collective of the current thread.
void machine::note_cost(cost_kind kind, std::uintptr_t address, std::size_t size, const void* caller) {
  const bool lock_step = settings_.model == execution::lock_step;
  const block& parent = *current_->parent;
  const std::uint64_t step = lock_step ? parent.warp_steps[current_->warp()] : 0;
  costs_->note({kind, caller, parent.number, current_->index_in_block, address, size, step},
               [this](const void* at) { return line_of(at); });
}

/// Records an access for the trace and for the costs, if these are asked for.
void machine::observe(const location& place, std::uintptr_t address, std::size_t size, const access_kind& kind,
                      const void* caller) {
  if (recording_ && kind.agent == 0 && !is_part_of(simt_block_size, address) &&
      !is_part_of(simt_grid_size, address))
    record_access(place, address, size, kind, caller);
  if (settings_.trace && kind.agent == 0) append_trace(address, size, kind.name(), attributed(*current_, caller));
  if (!costs_ || is_part_of(simt_block_size, address) || is_part_of(simt_grid_size, address)) return;
  const bool shared = place.owner != nullptr || place.range->shared;
  const cost_kind global_kind = kind.agent != 0              ? cost_kind::global_copy
                                : kind.write && kind.reads() ? cost_kind::global_atomic
                                : kind.write                 ? cost_kind::global_write
                                                             : cost_kind::global_read;
  const cost_kind shared_kind = kind.agent != 0              ? cost_kind::shared_copy
                                : kind.write && kind.reads() ? cost_kind::shared_atomic
                                : kind.write                 ? cost_kind::shared_write
                                                             : cost_kind::shared_read;
  note_cost(shared ? shared_kind : global_kind, place.address, size, caller);
}

std::string cost_table(std::vector<line_costs> lines) {
  std::map<std::string, std::uint64_t> kernels;
  for (const line_costs& line : lines) kernels[line.kernel] += line.cost();
  std::sort(lines.begin(), lines.end(), [&](const line_costs& left, const line_costs& right) {
    if (left.kernel != right.kernel) {
      const std::uint64_t first = kernels[left.kernel], second = kernels[right.kernel];
      return first != second ? first > second : left.kernel < right.kernel;
    }
    return left.cost() != right.cost() ? left.cost() > right.cost() : left.line < right.line;
  });
  std::string text;
  const std::string* kernel = nullptr;
  const auto append = [&](const char* format, auto... values) {
    char row[256];
    std::snprintf(row, sizeof row, format, values...);
    text += row;
  };
  for (const line_costs& line : lines) {
    if (kernel == nullptr || *kernel != line.kernel) {
      text += line.kernel + "\n";
      append("  %-24s %-14s %10s %6s %12s %8s %7s %10s\n", "line", "access", "requests", "lanes", "bytes",
             "sectors", "degree", "queue");
    }
    kernel = &line.kernel;
    const std::string place =
        line.file.empty() ? "?" : line.file.substr(line.file.rfind('/') + 1) + ":" + std::to_string(line.line);
    append("  %-24s %-14s %10llu %6.1f %12llu", place.c_str(),
           (line.space + (line.space.empty() ? "" : " ") + line.action).c_str(),
           static_cast<unsigned long long>(line.requests), line.lanes_per_request(),
           static_cast<unsigned long long>(line.bytes));
    if (line.sectors != 0) {
      append(" %8.1f", line.sectors_per_request());
    } else {
      append(" %8s", "");
    }
    if (line.ideal != 0) {
      append(" %7.1f", line.degree());
    } else {
      append(" %7s", "");
    }
    if (line.longest_queue != 0) append(" %10llu", static_cast<unsigned long long>(line.longest_queue));
    text.erase(text.find_last_not_of(' ') + 1);
    text += "\n";
  }
  return text;
}

}  // namespace exactdot::simt

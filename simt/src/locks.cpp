// What atomic operations tell about a race: locks without fences, the first read of a loop of compare and swap, and
// float sums whose order the schedule chooses.
#include <algorithm>
#include <exactdot/simt/kernel.hpp>

#include "machine.hpp"

namespace exactdot::simt {
namespace {
constexpr std::size_t max_float_sums = 4096;  // of a launch
}

/// Compare and swap, or exchange, from 0 to 1 is a lock that a thread takes; back to 0 it releases it.
void machine::note_atomic(std::uintptr_t address, bool changed) {
  thread& self = *current_;
  const detail::atomic_use use = self.atomic;
  if (use == detail::atomic_use::add_float || use == detail::atomic_use::add_double) {
    if (!stream_.keeps_sums || !device_memory::instance().holds(address) ||
        (float_sums_.size() >= max_float_sums && !float_sums_.contains(address)))
      return;
    const auto [at, fresh] = float_sums_.try_emplace(address);
    if (fresh) at->second.site = attributed(self, self.program_counter), at->second.first = self.number;
    at->second.is_double = use == detail::atomic_use::add_double;
    at->second.by_several |= at->second.first != self.number;
    return;
  }
  if (!changed) return;
  const auto value = *reinterpret_cast<const unsigned char*>(address);
  if (self.held_lock == 0 && value == 1) self.held_lock = address;
  if (self.held_lock == address && value == 0) self.held_lock = 0;
}

void machine::note_atomic_site(const void* caller) {
  if (current_->atomic == detail::atomic_use::compare) compare_sites_.insert(attributed(*current_, caller));
}

void machine::note_locked_access(std::uintptr_t address, const void* site) {
  if (address != current_->held_lock) locked_sites_.try_emplace(site, current_->held_lock);
}

/// Whether a thread has executed a fence, if its block has not ended.
bool machine::has_fenced(std::uint32_t number) const {
  const auto holds = [&](const auto& resident) { return resident->number == number / threads_per_block_; };
  const auto at = std::find_if(resident_.begin(), resident_.end(), holds);
  return at != resident_.end() && (*at)->threads[number % threads_per_block_].fenced;
}

void machine::add_atomic_facts(race_facts& facts, const access_record& current, const access_record& other,
                               bool one_reads) const {
  const auto left = locked_sites_.find(current.caller()), right = locked_sites_.find(other.caller());
  facts.in_lock = left != locked_sites_.end() && right != locked_sites_.end() && left->second == right->second;
  facts.is_guess =
      one_reads && compare_sites_.contains(current.caller()) != compare_sites_.contains(other.caller());
  facts.after_fence = has_fenced(current.thread - 1) || has_fenced(other.thread - 1);
}

/// At the end of a launch: what its float sums have become.
void machine::keep_float_sums() {
  for (const auto& [address, sum] : float_sums_) {
    if (!sum.by_several || stream_.sums.size() >= max_float_sums) continue;
    const region* const buffer = device_memory::instance().find(address);
    if (buffer == nullptr || buffer->shared) continue;
    const double value = sum.is_double ? *reinterpret_cast<const double*>(address)
                                       : static_cast<double>(*reinterpret_cast<const float*>(address));
    const source_line line = line_of(sum.site);
    stream_.sums.push_back(
        {device_memory::instance().launch(), address - buffer->start, buffer->size, line.file, line.line, value});
  }
}

}  // namespace exactdot::simt

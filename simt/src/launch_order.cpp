// Launches that nothing orders before the current one, on other streams: compared when it touches a word for the
// first time, and when it writes one that they have read. Shadow memory holds the last launch of each word.
#include "machine.hpp"
#include "unread.hpp"

namespace exactdot::simt {

void machine::check_other_launch(const location& place, const char* action, const access_record& current,
                                 const shadow_cell& cell, bool writes) {
  if (cell.launch == 0 || place.range->shared || !settings_.detect || !stream_.is_unordered(cell.launch)) return;
  if (races_with(current, cell.write))
    return report_unordered(place, action, current, {cell.launch, cell.write}, "write");
  constexpr std::size_t max_readers = 1 << 16;  // later ones are forgotten
  for (const access_record& read : cell.read) {
    if (read.thread == 0) continue;
    if (writes && races_with(current, read))
      return report_unordered(place, action, current, {cell.launch, read}, "read");
    if (!writes && other_readers_.size() < max_readers) other_readers_[place.address / 4] = {cell.launch, read};
  }
}

void machine::check_other_readers(const location& place, const char* action, const access_record& current) {
  const auto at = other_readers_.find(place.address / 4);
  if (at == other_readers_.end() || !races_with(current, at->second.access)) return;
  report_unordered(place, action, current, at->second, "read");
  other_readers_.erase(at);
}

bool machine::races_with(const access_record& current, const access_record& other) {
  return other.thread != 0 && (other.bytes & current.bytes) != 0 && !(other.atomic && current.atomic);
}

void machine::report_unordered(const location& place, const char* action, const access_record& current,
                               const access_of_launch& other, const char* other_action) {
  fault* const found =
      add_fault(fault_kind::missing_synchronisation, current.caller(), other.access.caller(), action, other_action);
  if (found == nullptr) return;
  found->space = "global";
  found->variable = name_of_address(place.address);
  found->site = site_of(current.thread - 1, action, current.caller());
  found->other_site = site_of_kernel(other.launch, other.access, other_action);
  found->cause = unordered_streams;
}

}  // namespace exactdot::simt

// mbarriers: phases, transaction counts, and their faults.
//
// Every operation is an atomic access for the race detector, except initialisation and invalidation, which are
// writes. Arrivals release and successful tests acquire, with the release sequence of all earlier phases. The
// scopes of operations are not checked.
#include "mbarrier.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "machine.hpp"
#include "races.hpp"
#include "repetition.hpp"
#include "step.hpp"

namespace exactdot::simt {
std::string text_of_phase(const mbarrier_state& barrier) {
  std::string text = "phase " + std::to_string(barrier.phase) + " (parity " + std::to_string(barrier.phase % 2) +
                     "), pending: " + std::to_string(barrier.pending) + " of " + std::to_string(barrier.count) +
                     " arrivals";
  if (barrier.bytes > 0) text += ", " + std::to_string(barrier.bytes) + " bytes";
  if (barrier.bytes < 0) text += ", " + std::to_string(-barrier.bytes) + " bytes more arrived than expected";
  return text;
}

mbarrier_state* machine::find_mbarrier(const location& place) {
  if (place.owner == nullptr) return nullptr;
  const auto at = place.owner->mbarriers.find(place.address);
  return at == place.owner->mbarriers.end() ? nullptr : &at->second;
}

/// Step and checks before an operation. Returns null if there is no mbarrier; that has been reported.
mbarrier_state* machine::begin_mbarrier_access(location& place, std::uintptr_t address, const access_kind& kind,
                                               const void* caller) {
  step(caller);
  if (address % 8 != 0) misaligned(address, kind.name(), caller);
  place = locate(address, 8);
  if (place.range == nullptr || place.owner == nullptr) {
    report_out_of_bounds(address, 8, kind, caller);
    return nullptr;
  }
  detect_repetition(place, address, 8, caller);
  mbarrier_state* const barrier = find_mbarrier(place);
  if (barrier == nullptr || !barrier->live) {
    report(fault_kind::mbarrier_uninitialised, place, kind.name(), caller,
           barrier == nullptr ? nullptr : &barrier->last_change, barrier == nullptr ? "" : barrier->last_action);
    return nullptr;
  }
  std::uint64_t word = 0;
  std::memcpy(&word, storage_of(place), sizeof word);
  if (word != barrier->word) {
    report(fault_kind::mbarrier_uninitialised, place, kind.name(), caller, &barrier->initialised, "mbarrier.init",
           "overwritten since");
    barrier->live = false;
    return nullptr;
  }
  if (!settings_.detect) return barrier;
  if (place.owner != current_->parent) check_remote(place, kind, caller);
  const bool initialisation_is_visible = happens_before_current(barrier->initialised) ||
                                         (current_->clock && current_->clock->time_of(barrier->key()) != 0);
  if (!initialisation_is_visible) {
    report(fault_kind::mbarrier_uninitialised, place, kind.name(), caller, &barrier->initialised, "mbarrier.init");
  } else {
    check_access(place, 8, kind, caller);
  }
  return barrier;
}

/// Gives the eight bytes a new content.
void machine::note_change(const location& place, mbarrier_state& barrier) {
  constexpr std::uint64_t tag = std::uint64_t{0xb} << 60;
  barrier.word = tag | ++mbarrier_changes_;
  std::memcpy(storage_of(place), &barrier.word, sizeof barrier.word);
  place.range->mark_written(place.address, sizeof barrier.word);
}

void machine::initialise_mbarrier(std::uintptr_t address, std::uint32_t count, const void* caller) {
  step(caller);
  const access_kind kind{false, true, false, false, false, "mbarrier.init"};
  if (address % 8 != 0) misaligned(address, kind.name(), caller);
  const location place = locate(address, 8);
  if (place.range == nullptr || place.owner != current_->parent)
    return report_out_of_bounds(address, 8, kind, caller);
  mbarrier_state& barrier = place.owner->mbarriers[place.address];
  if (barrier.live) {
    report(fault_kind::mbarrier_reinitialised, place, kind.name(), caller, &barrier.last_change,
           barrier.last_action);
  } else if (settings_.detect) {
    check_access(place, 8, kind, caller);
  }
  if (count == 0 || count > mbarrier_state::max_count) {
    report(fault_kind::mbarrier_overflow, place, kind.name(), caller, nullptr, "",
           "count " + std::to_string(count) + ", expected 1 to " + std::to_string(mbarrier_state::max_count));
    count = 1;
  }
  barrier = {};
  barrier.id = ++mbarriers_initialised_;
  barrier.live = true;
  barrier.count = barrier.pending = count;
  barrier.initialised = barrier.last_change = record_of(kind, caller);
  barrier.last_action = kind.name();
  note_change(place, barrier);
  auto clock = std::make_shared<vector_clock>();
  clock->entries.push_back({barrier.key(), 1});
  auto& asynchronous = current_->asynchronous();
  asynchronous.initialised = join(asynchronous.initialised, clock);
}

void machine::invalidate_mbarrier(std::uintptr_t address, const void* caller) {
  const access_kind kind{false, true, false, false, false, "mbarrier.inval"};
  location place;
  mbarrier_state* const barrier = begin_mbarrier_access(place, address, kind, caller);
  if (barrier == nullptr) return;
  barrier->live = false;
  barrier->last_change = record_of(kind, caller), barrier->last_action = kind.name();
  note_change(place, *barrier);
}

/// Changes the counts, and completes the phase if they are met.
void machine::apply_change(const location& place, mbarrier_state& barrier, std::uint32_t arrivals,
                           std::int64_t bytes) {
  barrier.pending -= arrivals;
  barrier.bytes += bytes;
  note_change(place, barrier);
  note_progress();
  if (!barrier.is_complete()) return;
  barrier.arriving.add(barrier.completed);
  barrier.arriving.add(barrier.key(), barrier.phase + 2);
  barrier.completed = barrier.arriving.take();
  ++barrier.phase;
  barrier.pending = barrier.count;
  unpark(place.address);
}

/// An arrival, an announcement of bytes, or both. Returns the state of the phase that it belongs to.
std::uint64_t machine::change_mbarrier(std::uintptr_t address, const mbarrier_change& change, const void* caller) {
  const access_kind kind{false, true, true, false, true, change.action};
  location place;
  mbarrier_state* const barrier = begin_mbarrier_access(place, address, kind, caller);
  if (barrier == nullptr) return 0;
  thread& self = *current_;
  self.recent.clear();
  const std::uint64_t state = std::uint64_t{barrier->id} << 32 | barrier->phase;
  const auto overflow = [&](const std::string& what) {
    report(fault_kind::mbarrier_overflow, place, kind.name(), caller, &barrier->last_change, barrier->last_action,
           what + " in " + text_of_phase(*barrier));
  };
  std::uint32_t arrivals = change.arrivals;
  if (arrivals > barrier->pending) {
    overflow(std::to_string(arrivals) + " arrivals");
    arrivals = barrier->pending;
  }
  if (barrier->bytes + change.expected_bytes > mbarrier_state::max_count)
    overflow(std::to_string(change.expected_bytes) + " bytes");
  barrier->last_change = record_of(kind, caller), barrier->last_action = kind.name();
  if (change.drops && barrier->count > 0) --barrier->count;
  if (change.arrivals != 0) add_release(barrier->arriving, self);
  apply_change(place, *barrier, arrivals, change.expected_bytes);
  if (barrier->pending == 0 && barrier->bytes < 0)
    report(fault_kind::mbarrier_bytes, place, kind.name(), caller, nullptr, "", text_of_phase(*barrier));
  return state;
}

/// Returns whether a phase is complete: the one with this parity that ended last, or the one of a state.
bool machine::test_mbarrier(std::uintptr_t address, bool by_parity, std::uint64_t parity_or_state,
                            const char* action, const void* caller) {
  const access_kind kind{false, false, true, false, true, action};
  location place;
  const mbarrier_state* const barrier = begin_mbarrier_access(place, address, kind, caller);
  if (barrier == nullptr) return true;
  std::uint32_t wanted = barrier->phase;
  if (by_parity) {
    if ((parity_or_state & 1) != barrier->phase % 2) --wanted;
  } else {
    wanted = static_cast<std::uint32_t>(parity_or_state);
    const bool valid = parity_or_state >> 32 == barrier->id && barrier->phase - wanted <= 1;
    if (!valid) {
      report(fault_kind::mbarrier_phase, place, action, caller, nullptr, "",
             "state of phase " + std::to_string(wanted) + ", now " + text_of_phase(*barrier));
      return true;
    }
  }
  if (wanted == barrier->phase) return false;
  current_->clock = joined_(current_->clock, barrier->completed);
  current_->recent.clear();
  note_progress();
  return true;
}

void machine::fence_mbarrier_init(const void* caller) {
  step(caller);
  auto& asynchronous = current_->asynchronous();
  if (!asynchronous.initialised) return;
  asynchronous.fenced = with_proxy_entries(asynchronous.initialised);
  current_->clock = join(current_->clock, asynchronous.fenced);
}

void machine::fence_async_proxy(const void* caller) {
  step(caller);
  thread& self = *current_;
  self.clock = join(self.clock, with_proxy_entries(release_clock(self)));
  ++self.time;
}

/// A livelock in which a thread waits for an mbarrier: names it. Prefers one whose arrivals or bytes are incomplete
/// to one of which nothing has arrived. Returns whether there is one.
bool machine::report_stuck_mbarrier() {
  if (!settings_.detect) return false;
  thread* waiting = nullptr;
  const mbarrier_state* stuck = nullptr;
  std::uintptr_t stuck_at = 0;
  const auto rank = [](const mbarrier_state& barrier) {
    return barrier.pending == 0 ? 2 : barrier.pending < barrier.count || barrier.bytes != 0 ? 1 : 0;
  };
  for (const auto& [address, threads] : parked_) {
    for (thread* candidate : threads) {
      const auto at = candidate->parent->mbarriers.find(address);
      if (at == candidate->parent->mbarriers.end() || !at->second.live) continue;
      if (stuck == nullptr || rank(at->second) > rank(*stuck))
        waiting = candidate, stuck = &at->second, stuck_at = address;
    }
  }
  if (stuck == nullptr) return false;
  current_ = waiting;
  const location place = locate(stuck_at, 8);
  const auto& recent = waiting->recent.list;
  const auto test = std::find_if(recent.begin(), recent.end(),
                                 [=](const recent_accesses::access& access) { return access.address == stuck_at; });
  report(stuck->pending == 0 ? fault_kind::mbarrier_bytes : fault_kind::mbarrier_phase, place, "wait", test->caller,
         &stuck->last_change, stuck->last_action, text_of_phase(*stuck));
  return true;
}

}  // namespace exactdot::simt

// Detection of spinning threads and of livelocks.
//
// A thread that repeats its last accesses, up to four different ones, with the same results is parked until one of
// the addresses changes. If no thread is ready, all parked threads resume, so parking a thread that does not wait
// costs time but no correctness. In lock step the lanes of a step are parked together or not at all, and resumed
// together: otherwise some would be an iteration ahead of the others.
// A livelock is reported after spin_budget rounds, and 1000 times as many steps, without progress, if then
// registers and stacks repeat themselves too: a loop may count in a register. It is also reported after
// narrow_budget accesses by which every thread only came back to the same places, whatever these held. Long before
// that more blocks start, up to max_resident_blocks, as the others may wait for them.
#include "repetition.hpp"

#include <unwind.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "step.hpp"

namespace exactdot::simt {

namespace {
constexpr int rounds_before_parking = 3;
constexpr std::uint64_t max_quiet_blocks = 2'000'000'000;  // some seconds
// stand among the addresses of repeated accesses for the clock, the other threads of a barrier or a collective, a fence
alignas(16) const std::uint64_t clock_place = 0, meeting_place = 0, fence_place = 0;
constexpr std::uint64_t clock_turn = 4096;  // steps after which threads that read the clock run again
constexpr std::uint64_t rounds_before_blocks = 8, accesses_before_blocks = 1 << 18;  // and more blocks start

/// The hash of a frame's callee-saved registers and of the stack from it on. Those registers are all that lives in
/// registers at a call.
struct frame_state {
  const void* caller;
  std::uintptr_t stack_end;
  std::uint64_t hash = 0xcbf29ce484222325U;

  void add(std::uint64_t word) { hash = (hash ^ word) * 0x100000001b3U; }
};

_Unwind_Reason_Code add_frame(_Unwind_Context* frame, void* data) {
  auto& state = *static_cast<frame_state*>(data);
  if (reinterpret_cast<const void*>(_Unwind_GetIP(frame)) != state.caller) return _URC_NO_REASON;
#if defined(__x86_64__)
  for (const int callee_saved : {3, 6, 12, 13, 14, 15})
    state.add(_Unwind_GetGR(frame, callee_saved));  // rbx, rbp, r12…
#endif
  for (std::uintptr_t at = _Unwind_GetCFA(frame); at < state.stack_end; at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, reinterpret_cast<const void*>(at), sizeof word);
    state.add(word);
  }
  return _URC_END_OF_STACK;
}

}  // namespace

void machine::park(thread& self) {
  self.status = thread_status::parked;
  remove_ready(self);
  if (recording_) recording_->turn_into_spin(self.number);
  self.parked_at.clear();
  for (std::size_t i = 0; i < self.recent.size; ++i) {
    const std::uintptr_t address = self.recent.list[i].address;
    if ((self.recent.repeated >> i & 1U) != 0 &&
        std::find(self.parked_at.begin(), self.parked_at.end(), address) == self.parked_at.end())
      self.parked_at.push_back(address);
  }
  for (const std::uintptr_t address : self.parked_at) parked_[address].push_back(&self);
}

void machine::unpark(std::uintptr_t address) {
  const auto at = parked_.find(address);
  if (at == parked_.end()) return;
  const std::vector<thread*> resumed = std::move(at->second);
  parked_.erase(at);
  for (thread* const waiting : resumed) {
    if (settings_.model == execution::independent) {
      resume_parked(*waiting);
      continue;
    }
    const std::uint32_t first = waiting->warp() * 32, end = std::min(first + 32, threads_per_block_);
    for (std::uint32_t i = first; i < end; ++i) {
      thread& lane = waiting->parent->threads[i];
      if (lane.status == thread_status::parked) resume_parked(lane);
    }
  }
}

void machine::resume_parked(thread& waiting) {
  for (const std::uintptr_t address : waiting.parked_at) {
    const auto list = parked_.find(address);
    if (list == parked_.end()) continue;
    std::erase(list->second, &waiting);
    if (list->second.empty()) parked_.erase(list);
  }
  waiting.recent.may_park = false;
  make_ready(waiting);
}

void machine::memory_changed(std::uintptr_t address) {
  note_change();
  if (parked_.empty()) return;
  unpark(blocks_per_cluster_ == 1 ? address : locate(address, 1).address);
}

bool machine::resume_or_settle() {
  if (complete_earliest_copy()) return true;
  if (!parked_.empty()) {
    if (idle_rounds_ % rounds_before_blocks == rounds_before_blocks - 1) admit_more_blocks();
    if (++idle_rounds_ > settings_.spin_budget && steps() - last_progress_ > 1000 * settings_.spin_budget) {
      if (states_equal_since_ == 0) states_equal_since_ = idle_rounds_;
      if (idle_rounds_ - states_equal_since_ > states_span_ + 1) {  // each access of each loop has come again
        report_hang(fault_kind::livelock);
        return true;
      }
    }
    // nothing but time can end the waits: their deadlines come sooner and sooner
    constexpr std::uint64_t clocks = 1000, max_doublings = 40, end_of_time = std::uint64_t{1} << 62;
    idle_clocks_ = std::min(idle_clocks_ + (clocks << std::min(idle_rounds_ / 8, max_doublings)), end_of_time);
    while (!parked_.empty()) unpark(parked_.begin()->first);
    return true;
  }
  bool settled = false;
  for (auto& resident : resident_) {
    settled |= settle_collectives(*resident);
    settled |= settle_tiles(*resident);
  }
  if (settled) return true;
  for (auto& members : clusters_) settled |= settle_cluster_barrier(*members);
  return settled;
}

/// Room for twice as many resident blocks, up to the maximum, if some have not started.
void machine::admit_more_blocks() {
  const auto most = static_cast<std::size_t>(std::max(0, settings_.max_resident_blocks));
  if (next_cluster_ == cluster_count_ || slots_ >= most) return;
  slots_ = std::min(2 * slots_, most);
  return_to_scheduler();  // which starts them
  note_progress();
}

/// The current thread comes back to one of its last places. Returns whether it was parked meanwhile.
bool machine::note_known_place(recent_accesses::novelty fresh, const void* caller) {
  thread& self = *current_;
  if (narrow_accesses_ % accesses_before_blocks == accesses_before_blocks - 1) admit_more_blocks();
  if (++narrow_accesses_ > settings_.narrow_budget && narrow_accesses_ > narrow_budget()) {
    report_endless(narrow_accesses_, "accesses led all threads to the same few places only");
    yield();
  } else if (fresh == recent_accesses::novelty::content) {
    note_change();
  } else if (self.recent.repeats >= rounds_before_parking * std::popcount(self.recent.repeated)) {
    if (states_equal_since_ != 0) compare_states(self, caller);
    if (settings_.model == execution::lock_step) {  // choose_in_lock_step() parks the lanes of the step
      self.recent.may_park = true, self.repeated_by = attributed(self, caller);
      return false;
    }
    park(self);
    yield();
    return true;
  }
  return false;
}

/// A thread comes to a barrier or a collective, with a value for the others: a loop that comes to it again and again,
/// and finds everything else as it was, repeats itself.
void machine::note_meeting(thread& self, std::uint64_t value, const void* caller) {
  const auto address = reinterpret_cast<std::uintptr_t>(&meeting_place);
  const recent_accesses::novelty fresh = self.recent.add({caller, address, value});
  if (fresh == recent_accesses::novelty::place) return note_progress();
  if (fresh == recent_accesses::novelty::content) note_change();
  has_met_ = true;
  const std::uint64_t threads = std::uint64_t{threads_per_block_} * resident_.size();
  if (++idle_meetings_ <= settings_.spin_budget * threads) return;
  compare_states(self, caller);
  constexpr std::uint64_t comparisons = 8 * recent_accesses::max_size;  // of each thread, so that each is at least two
  if (idle_meetings_ <= (settings_.spin_budget + comparisons) * threads) return;
  report_hang(fault_kind::livelock);
  yield();
}

/// A thread executes a fence: like the read of a place that nothing changes, if it has done nothing else since the
/// last one.
void machine::note_fence(const void* caller) {
  const auto address = reinterpret_cast<std::uintptr_t>(&fence_place);
  if (std::exchange(current_->last_address, address) != address) return;
  detect_repetition({nullptr, address, nullptr}, address, sizeof fence_place, caller);
  if (narrow_accesses_ != 0) --narrow_accesses_;  // it is no access: a loop may execute many
}

/// Of a thread that repeats an access, when a livelock is suspected: another state of its registers and stack is
/// progress.
void machine::compare_states(thread& self, const void* caller) {
  self.recent.is_suspect = true;
  frame_state state{caller, reinterpret_cast<std::uintptr_t>(self.stack)};
  _Unwind_Backtrace(add_frame, &state);
  states_span_ = std::max(states_span_, static_cast<std::uint64_t>(std::popcount(self.recent.repeated)));
  const std::uint64_t before = std::exchange(self.recent.states[self.recent.last], state.hash);
  if (before == 0) {
    states_equal_since_ = idle_rounds_;
  } else if (before != state.hash) {
    note_change();
  }
}

/// A thread has visited many basic blocks and has done nothing else. If its registers and its stack are the same at
/// the same block again, it will go on so: nothing else can end the loop (Brent's search for cycles, with bounded
/// looks).
void machine::check_quiet_loop(const void* caller) {
  constexpr std::uint64_t blocks_per_look = 4096;
  quiet_loop& quiet = current_->quiet;
  const std::uint64_t blocks = current_->quiet_blocks;
  const bool is_look = blocks == quiet.next_look;
  if (!is_look && (caller != quiet.place || blocks - quiet.looked_at > blocks_per_look)) {
    if (blocks <= std::max(settings_.step_budget, max_quiet_blocks)) return;
    report_endless(blocks, "basic blocks without an access to memory have not ended it");
    return yield();
  }
  frame_state state{caller, reinterpret_cast<std::uintptr_t>(current_->stack)};
  _Unwind_Backtrace(add_frame, &state);
  if (is_look) {
    quiet.place = caller, quiet.state = state.hash, quiet.looked_at = blocks;
    quiet.next_look *= 2;
  } else if (state.hash == quiet.state) {
    current_->program_counter = caller;
    report_endless(0, "");
    yield();
  }
}

/// A thread reads the clock: like the read of a place that time changes.
std::uint64_t machine::read_clock(const void* caller) {
  const auto address = reinterpret_cast<std::uintptr_t>(&clock_place);
  step(caller);
  clock_turn_ = std::min(clock_turn_, steps() + clock_turn);  // that of an earlier reader stays
  detect_repetition({nullptr, address, nullptr}, address, sizeof clock_place, caller);
  idle_meetings_ = 0;  // time passes, and may end a loop whose state is the same each time
  return clocks();
}

/// Threads that wait for the clock run again while others work.
void machine::resume_clock_readers() {
  clock_turn_ = ~std::uint64_t{0};
  unpark(reinterpret_cast<std::uintptr_t>(&clock_place));
}

/// The launch has run for long, or its threads come back to the same places only: names a thread of the loop.
void machine::report_endless(std::uint64_t count, const char* what) {
  if (ended_) return;
  ended_ = true;
  stream_.ended_by = fault_kind::livelock;
  const thread& self = *current_;
  const void* const site = attributed(self, self.program_counter);
  fault* const found = add_fault(fault_kind::livelock, site, nullptr);
  if (found == nullptr) return;
  found->site = site_of(self.number, "loop", site);
  if (count == 0) {
    found->cause = "its registers and its stack are as they were before: it never ends";
    return;
  }
  found->cause = std::to_string(count) + " " + what;
  found->fix = std::string("if the loop ends, more steps (") + settings_.budget_name + ")";
}

/// Returns a parked thread that spins on other addresses; null if there is none.
const thread* machine::other_spinning(const thread& spinning) const {
  for (const auto& [address, waiting] : parked_) {
    const auto& known = spinning.parked_at;
    if (std::find(known.begin(), known.end(), address) == known.end()) return waiting.front();
  }
  return nullptr;
}

void machine::report_hang(fault_kind kind) {
  if (ended_) return;
  ended_ = true;
  stream_.ended_by = kind;
  if (report_stuck_mbarrier()) return;
  // Reports a parked thread; preferably one whose warp holds back a lane that is ready.
  const auto held_back = [&](const thread& spinning) -> const thread* {
    for (const thread& lane : spinning.parent->threads) {
      if (lane.status == thread_status::ready && lane.warp() == spinning.warp() &&
          settings_.model == execution::lock_step)
        return &lane;
    }
    return nullptr;
  };
  const thread* spinning = nullptr;
  const thread* other = nullptr;
  for (const auto& [address, waiting] : parked_) {
    for (const thread* candidate : waiting) {
      if (spinning == nullptr || other == nullptr) spinning = candidate, other = held_back(*candidate);
    }
  }
  if (spinning == nullptr) spinning = current_;
  const std::uint64_t missing = (cluster_count_ - next_cluster_) * blocks_per_cluster_;
  const char* other_action = "wait for the other lanes of the warp";
  if (other == nullptr) other = other_spinning(*spinning), other_action = "spin loop";
  fault* const found = report_waiting(kind, *spinning, "spin loop", other, other_action);
  if (found == nullptr || missing == 0) return;
  found->cause = std::to_string(missing) + (missing == 1 ? " block has" : " blocks have") + " not started: " +
                 std::to_string(slots_) + (slots_ == 1 ? " is" : " are") +
                 " resident at a time, and the next starts when one of them ends";
}

}  // namespace exactdot::simt

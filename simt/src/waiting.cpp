// Threads that wait for each other: barriers of a block, exchanges of a warp, and the end.
//
// A barrier opens when every thread of the block that is not done has arrived (compute capability 7.0 and later,
// CUDA C++ Programming Guide, "Synchronization Functions"). It is a fault, though the run goes on, when some are
// done or arrive elsewhere. An exchange completes when all lanes of its mask that are not done have come (the same,
// "Warp Shuffle Functions": all non-exited threads named in mask); when no thread can go on, with those that have.
#include <algorithm>
#include <bit>

#include "machine.hpp"
#include "symbols.hpp"

namespace exactdot::simt {

/// Whether two threads stand at one place of the source; compilers make copies of a place.
bool machine::same_place(const thread& left, const thread& right) {
  return left.calls.size() == right.calls.size() && same_line(left.place, right.place) &&
         std::equal(left.calls.begin(), left.calls.end(), right.calls.begin(), same_line);
}

int machine::barrier(const char* what, int predicate, int combine, const void* caller) {
  step(caller);
  thread& self = *current_;
  block& home = *self.home;
  self.what = what, self.predicate = predicate;
  self.now = state::at_barrier;
  remove_ready(self);
  ++home.waiting;
  self.last_place = nullptr;
  progress();
  if (home.waiting + home.finished == threads_a_block_) {
    release_barrier(home);
  } else {
    yield();
  }
  const auto set = static_cast<std::uint32_t>(self.value);
  const auto came = static_cast<std::uint32_t>(self.value >> 32);
  return combine == 1   ? static_cast<int>(set)
         : combine == 2 ? static_cast<int>(set == came)
                        : static_cast<int>(set != 0);
}

void machine::release_barrier(block& which) {
  std::uint64_t came = 0, set = 0;
  const thread* first = nullptr;
  const thread* elsewhere = nullptr;
  shared_knowledge known, released, released_in_block;
  for (thread& one : which.threads) {
    if (one.now != state::at_barrier) continue;
    ++came;
    if (one.predicate != 0) ++set;
    if (first == nullptr) first = &one;
    if (!same_place(one, *first)) elsewhere = &one;
    known = join(known, one.known);
    released = join(released, one.released);
    released_in_block = join(released_in_block, one.released_in_block);
  }
  if (elsewhere != nullptr) {
    report_waiting(fault_kind::barrier_divergence, *first, first->what, elsewhere, elsewhere->what);
  } else if (which.finished != 0 && first != nullptr) {
    report_waiting(fault_kind::barrier_divergence, *first, first->what, &which.threads[which.finished_thread],
                   "end");
  }
  ++which.generation;
  which.waiting = 0;
  ++on_.counted.barriers;
  for (thread& one : which.threads) {
    if (one.now != state::at_barrier) continue;
    one.value = came << 32 | set;
    one.known = known, one.released = released, one.released_in_block = released_in_block;
    one.lanes.reset();
    make_ready(one);
  }
}

/// Of a thread in an exchange: the lanes that are in the same one, and those that its mask names and are not done.
machine::meeting machine::meeting_of(const thread& here) const {
  const std::uint32_t first = here.warp() * 32;
  const std::uint32_t width = std::min(32U, threads_a_block_ - first);
  meeting lanes{};
  for (std::uint32_t i = 0; i < width; ++i) {
    const thread& one = here.home->threads[first + i];
    if (one.now == state::at_exchange && one.mask == here.mask && one.kind == here.kind) lanes.arrived |= 1U << i;
    if (one.now != state::done) lanes.expected |= here.mask & 1U << i;
  }
  return lanes;
}

std::uint32_t machine::exchange(detail::exchange_kind kind, std::uint32_t mask, std::uint64_t mine,
                                std::uint64_t* values, const void* caller) {
  static constexpr const char* names[] = {"shuffle", "vote", "match", "reduction", "__syncwarp"};  // by kind
  step(caller);
  thread& self = *current_;
  block& home = *self.home;
  self.kind = kind, self.what = names[static_cast<int>(kind)];
  self.mask = mask, self.value = mine, self.values = values;
  self.now = state::at_exchange;
  remove_ready(self);
  self.last_place = nullptr;
  progress();
  const meeting lanes = meeting_of(self);
  if ((mask >> self.lane() & 1U) == 0) {  // names others but not itself
    report_waiting(fault_kind::missing_lanes, self, self.what, &self, "not in its own mask");
    complete_exchange(home, self.warp(), 1U << self.lane());
  } else if ((lanes.expected & ~lanes.arrived) == 0) {
    complete_exchange(home, self.warp(), lanes.arrived);
  } else {
    yield();
  }
  ++on_.counted.shuffles;
  return self.came;
}

void machine::complete_exchange(block& which, std::uint32_t warp, std::uint32_t lanes) {
  thread* const first = &which.threads[std::size_t{warp} * 32];
  std::array<std::uint32_t, 32> times{};
  shared_knowledge known, released, released_in_block;
  for (std::uint32_t i = 0; i < 32; ++i) {
    if ((lanes >> i & 1U) == 0) continue;
    if (first[i].lanes) {
      for (std::size_t j = 0; j < 32; ++j) times[j] = std::max(times[j], (*first[i].lanes)[j]);
    }
    times[i] = std::max(times[i], first[i].time);
    known = join(known, first[i].known);
    released = join(released, first[i].released);
    released_in_block = join(released_in_block, first[i].released_in_block);
  }
  for (std::uint32_t i = 0; i < 32; ++i) {
    if ((lanes >> i & 1U) == 0) continue;
    thread& one = first[i];
    one.came = lanes;
    if (one.values == nullptr) {  // __syncwarp orders memory, the others do not
      one.lanes = std::make_unique<std::array<std::uint32_t, 32>>(times);
      one.known = known, one.released = released, one.released_in_block = released_in_block;
      ++one.time;
    } else {
      for (std::uint32_t j = 0; j < 32; ++j) one.values[j] = (lanes >> j & 1U) != 0 ? first[j].value : 0;
    }
    make_ready(one);
  }
}

bool machine::settle_exchanges(block& which) {
  bool settled = false;
  for (std::uint32_t start = 0; start < threads_a_block_; ++start) {
    const thread& here = which.threads[start];
    if (here.now != state::at_exchange) continue;
    const meeting lanes = meeting_of(here);
    const std::uint32_t first_missing = std::countr_zero(lanes.expected & ~lanes.arrived);
    const thread& missing = which.threads[here.warp() * 32 + first_missing];
    report_waiting(fault_kind::missing_lanes, here, here.what, &missing, missing.what);
    complete_exchange(which, here.warp(), lanes.arrived);
    settled = true;
  }
  return settled;
}

void machine::thread_done(thread& which) {
  block& home = *which.home;
  which.now = state::done;
  remove_ready(which);
  ++home.finished;
  home.finished_thread = which.in_block;
  progress();
  const std::uint32_t first = which.warp() * 32, end = std::min(first + 32, threads_a_block_);
  for (std::uint32_t i = first; i < end; ++i) {  // those that waited for this lane alone
    const thread& one = home.threads[i];
    if (one.now != state::at_exchange) continue;
    const meeting lanes = meeting_of(one);
    if ((lanes.expected & ~lanes.arrived) == 0) complete_exchange(home, one.warp(), lanes.arrived);
  }
  if (home.waiting != 0 && home.waiting + home.finished == threads_a_block_) release_barrier(home);
}

void machine::fence(bool block_scope, const void* caller) {
  step(caller);
  thread& self = *current_;
  self.known = join(self.known, self.pending_in_block);
  self.pending_in_block.reset();
  if (!block_scope) {
    self.known = join(self.known, self.pending);
    self.pending.reset();
  }
  auto own = std::make_shared<knowledge>();
  const std::uint32_t first = self.number - self.lane();
  const std::uint32_t width = std::min(32U, threads_a_block_ - self.warp() * 32);  // then comes another block
  for (std::uint32_t i = 0; i < width; ++i) {
    const std::uint32_t time = i == self.lane()                     ? time_now(self)
                               : how_.model == execution::lock_step ? time_now(self) - 1  // earlier steps
                               : self.lanes                         ? (*self.lanes)[i]
                                                                    : 0;
    if (time != 0) own->entries.push_back({first + i, time});
  }
  own->entries.push_back({knowledge::block_bit | self.home->number, self.home->generation});
  const shared_knowledge all = join(self.known, own);
  self.released_in_block = all;
  if (!block_scope) self.released = all;
  ++self.time;
}

}  // namespace exactdot::simt

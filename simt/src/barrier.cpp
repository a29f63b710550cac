// Barriers of a block.
//
// A barrier opens when all non-exited threads of the block have arrived (CUDA C++ Programming Guide,
// "Synchronization Functions", compute capability 7.0 and later). It is a fault, and the run continues, if some
// wait at another barrier, or have exited after they had run past this one. In lock step, the model of earlier
// GPUs, which count every thread of the block, any exit before the barrier is.
#include <array>

#include "machine.hpp"
#include "step.hpp"
#include "symbols.hpp"
#include "unread_marks.hpp"

namespace exactdot::simt {
namespace {

constexpr std::array shared_at_barrier = {&thread::clock, &thread::released, &thread::released_in_block,
                                          &thread::observed};

}  // namespace

/// Returns a thread that has exited after it ran past a barrier at which another one waits; null if all that have
/// exited returned before it. It ran past if its last step, or its last basic block before the function's end, lies
/// behind the barrier, and the waiting thread has not been there since its last one.
const thread* machine::passed_by(const block& parent, const thread& waiting) const {
  const source_line barrier = kernel_line(waiting.calls, waiting.program_counter);
  const auto is_behind = [&](const void* place) {
    if (place == nullptr || waiting.visited.may_contain(place)) return false;
    const source_line line = kernel_line({}, place);
    return line.file == barrier.file && line.line > barrier.line;
  };
  for (const thread& member : parent.threads) {
    if (member.status != thread_status::exited) continue;
    if (is_behind(member.visited.before_exit) || is_behind(member.program_counter)) return &member;
  }
  return nullptr;
}

/// Returns whether two threads are at the same source position. Compilers duplicate code, so addresses may differ.
inline bool machine::same_position(const thread& left, const thread& right) {
  if (left.program_counter == right.program_counter && left.calls == right.calls) return true;
  const auto is_same = [](const void* one, const void* other) { return one == other || same_line(one, other); };
  return is_same(left.program_counter, right.program_counter) && left.calls.equals(right.calls, is_same);
}

/// A thread arrives at the barrier. It is compared with the first one now, while its state is in the cache.
inline void machine::note_arrival(block& parent, const thread& self) {
  block::arrivals& all = parent.arriving;
  if (parent.waiting++ == 0) all = {.first = &self};
  ++all.threads;
  if (self.predicate != 0) ++all.nonzero;
  all.alike = all.alike && self.program_counter == all.first->program_counter && self.calls == all.first->calls;
  for (const auto known : shared_at_barrier) all.alike = all.alike && self.*known == all.first->*known;
}

int machine::barrier(const char* operation, int predicate, int combine, const void* caller) {
  step(caller);
  if (costs_) note_cost(cost_kind::barrier, 0, 0, caller);
  if (recording_) record_step(step_kind::barrier, operation, caller);
  thread& self = *current_;
  block& parent = *self.parent;
  self.operation = operation, self.predicate = predicate;
  if (combine != 0) note_seen();
  self.status = thread_status::at_barrier;
  remove_ready(self);
  note_arrival(parent, self);
  note_meeting(self, static_cast<std::uint64_t>(predicate != 0), caller);
  if (parent.waiting + parent.exited == threads_per_block_) {
    release_barrier(parent);
  } else {
    yield();
  }
  self.visited.clear();
  self.lane_times.reset();
  const block::arrivals& all = parent.at_last_barrier;
  return combine == 1   ? static_cast<int>(all.nonzero)
         : combine == 2 ? static_cast<int>(all.nonzero == all.threads)
                        : static_cast<int>(all.nonzero != 0);
}

void machine::release_barrier(block& parent) {
  if (!parent.arriving.alike || parent.exited != 0) settle_differences(parent);
  if (recording_) recording_->note_consequence(parent.threads[0].number, step_kind::opened);
  ++parent.generation;
  parent.waiting = 0;
  parent.at_last_barrier = parent.arriving;
  ++stream_.counted.barriers;
  for (thread& member : parent.threads) {
    if (member.status == thread_status::at_barrier) make_ready(member);
  }
}

/// Of threads that wait at the barrier: reports those that may not wait for each other, and has all of them know
/// what one of them does.
void machine::settle_differences(block& parent) {
  const thread* first = nullptr;
  const thread* elsewhere = nullptr;
  std::array<clock_pointer, shared_at_barrier.size()> knowledge;
  for (const thread& member : parent.threads) {
    if (member.status != thread_status::at_barrier) continue;
    if (first == nullptr) first = &member;
    if (!same_position(member, *first)) elsewhere = &member;
    for (std::size_t i = 0; i < knowledge.size(); ++i) {
      const clock_pointer& known = member.*shared_at_barrier[i];
      if (known != knowledge[i]) knowledge[i] = join(knowledge[i], known);
    }
  }
  if (elsewhere != nullptr) {
    report_waiting(fault_kind::barrier_divergence, *first, first->operation, elsewhere, elsewhere->operation);
  } else if (parent.exited != 0 && first != nullptr) {
    const thread* const missing =
        settings_.model == execution::lock_step ? &parent.threads[parent.last_exited] : passed_by(parent, *first);
    if (missing != nullptr)
      report_waiting(fault_kind::barrier_divergence, *first, first->operation, missing, "exit");
  }
  for (thread& member : parent.threads) {
    if (member.status != thread_status::at_barrier) continue;
    for (std::size_t i = 0; i < knowledge.size(); ++i) {
      if (member.*shared_at_barrier[i] != knowledge[i]) member.*shared_at_barrier[i] = knowledge[i];
    }
  }
}

}  // namespace exactdot::simt

// Scheduling points, inline: every access and every basic block of a kernel passes through one.
//
// A thread that waits for its turn keeps the frames of these calls, which the cache has to hold for thousands of
// threads: so what is rare is called, and yield() is the last call.
#pragma once

#include "machine.hpp"

namespace exactdot::simt {

inline void machine::begin_step(const void* caller) {
  thread& self = *current_;
  if (comparison_.writer != nullptr || copy_.reader != nullptr || self.copied_read || recording_) [[unlikely]] {
    finish_last_access();
    if (recording_ && self.program_counter != nullptr) recording_->note_entry(self.number);
  }
  self.program_counter = self.position = caller;
  self.visited.add(caller);
}

/// Before an access, or a call of a CUDA function: another thread may run first.
inline void machine::step(const void* caller) {
  if (current_->quiet_blocks >= quiet_loop::first_look) [[unlikely]]
    current_->quiet = {};
  current_->quiet_blocks = 0;
  begin_step(caller);
  ++stream_.counted.steps;
  if (++steps_ > settings_.step_budget) [[unlikely]]
    exceed_step_budget();
  if (--steps_left_ <= 0) yield();
}

inline bool machine::choose_lane() {
  while (!step_lanes_.empty()) {
    thread& lane = step_block_->threads[step_lanes_.back()];
    step_lanes_.pop_back();
    if (lane.status != thread_status::ready) continue;
    current_ = &lane;
    steps_left_ = 1;
    return true;
  }
  return false;
}

/// With independent threads a basic block is counted, no more. Returns whether that was all.
inline bool machine::count_basic_block(const void* caller) {
  thread& self = *current_;
  instrumented_ = true;
  self.visited.add_block(caller);
  self.position = caller;
  const bool is_quiet = ++self.quiet_blocks >= quiet_loop::first_look;
  return !is_quiet && ++blocks_ <= block_budget() && settings_.model != execution::lock_step;
}

}  // namespace exactdot::simt

// Crashes of kernel code: during a launch, a signal of the processor in a kernel ends the launch with a fault.
//
// Causes: vector loads and stores that are not aligned to 16 bytes, which the processor refuses, stack overflow,
// and integer division by zero. A timer ends an endless loop without steps. A signal outside of kernel code goes to
// the program's handler.
#pragma once

#include <sys/time.h>

#include <csignal>

namespace exactdot::simt {

class crash_guard {
 public:
  crash_guard();
  ~crash_guard();
  crash_guard(const crash_guard&) = delete;
  crash_guard& operator=(const crash_guard&) = delete;
  void restore() const;  // the handlers before this one

 private:
  stack_t stack_before_;
  static constexpr int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
  struct sigaction before_[4], tick_before_;
  itimerval timer_before_;
};

}  // namespace exactdot::simt

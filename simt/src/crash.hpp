// Crashes of kernel code: during a launch, a signal of the processor in a kernel ends the launch with a fault.
//
// Causes: vector loads and stores that are not aligned to 16 bytes, which the processor refuses, stack overflow,
// integer division by zero, calls of bad addresses, abort(). A timer ends an endless loop without steps. A signal
// outside of kernel code goes to the program's handler.
#pragma once

#include <sys/time.h>

#include <csignal>
#include <cstdint>

namespace exactdot::simt {

/// A signal of the processor, as its handler receives it. Instructions are return addresses, for find_line().
struct crash_report {
  int signal;
  bool has_address;  // false: the processor refused the access for another reason, such as its alignment
  std::uintptr_t address;
  const void* instruction;
  const void* called_from;  // the return address on top of the stack, where a call of a bad address leaves it
};

/// Of the handler of a signal that asks the program to end: keeps it while the simulator is at work on a launch, whose
/// memory is then half changed, for the scheduler or the end of the launch to raise again. Returns whether it has; of a
/// second signal it does not.
bool keep_signal(int signal);
void raise_kept_signal();

/// Of a whole launch.
class crash_guard {
 public:
  crash_guard();
  ~crash_guard();
  crash_guard(const crash_guard&) = delete;
  crash_guard& operator=(const crash_guard&) = delete;
  void restore() const;  // the handlers before this one

 private:
  stack_t stack_before_;
  static constexpr int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};
  static constexpr int signal_count = sizeof signals / sizeof signals[0];
  struct sigaction before_[signal_count], tick_before_;
  itimerval timer_before_;
  std::uint16_t x87_before_;
};

}  // namespace exactdot::simt

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

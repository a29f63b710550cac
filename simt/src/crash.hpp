// Crashes of kernel code: during a launch, SIGSEGV and SIGBUS in a kernel end the launch with a fault.
//
// Causes: vector loads and stores that are not aligned to 16 bytes, which the processor refuses, and stack
// overflow. A signal outside of kernel code goes to the default handler, which ends the program.
#pragma once

#include <csignal>

namespace exactdot::simt {

class crash_guard {
 public:
  crash_guard();
  ~crash_guard();
  crash_guard(const crash_guard&) = delete;
  crash_guard& operator=(const crash_guard&) = delete;

 private:
  stack_t stack_before_;
  struct sigaction segment_before_, bus_before_;
};

}  // namespace exactdot::simt

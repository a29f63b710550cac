// The launch that runs, and the way from kernel code into the simulator and back.
//
// The variables are guarded: they are thread-local, as the shared variables of kernels are.
#pragma once

#include <exception>
#include <type_traits>

#include "machine.hpp"
#include "shared_memory.hpp"

namespace exactdot::simt {

/// The current launch of this CPU thread, null outside of launches; and whether kernel code runs, not the
/// simulator.
extern constinit thread_local guarded<machine*> running;
extern constinit thread_local guarded<bool> in_kernel;

/// Runs simulator code on behalf of a kernel. An exception ends the launch, which rethrows it. It never unwinds the
/// kernel's frames: compilers do not expect instrumentation to throw.
template <class Action>
auto as_simulator(Action action) {
  in_kernel = false;
  try {
    if constexpr (std::is_void_v<decltype(action())>) {
      action();
      in_kernel = true;
      return;
    } else {
      auto result = action();
      in_kernel = true;
      return result;
    }
  } catch (...) {
    running->keep_failure(std::current_exception());
  }
  running->end_launch();
}

/// Called for accesses by instrumented host code between launches, if set.
inline void (*host_access)(const void* address, bool write, const void* caller) = nullptr;

}  // namespace exactdot::simt

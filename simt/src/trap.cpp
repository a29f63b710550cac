// __trap(), failed asserts and overrun local arrays in kernels: a fault of the stream, which ends the launch.
//
// The host's library implements assert by __assert_fail, which is defined here. The program continues after the
// launch. Outside of kernels __assert_fail prints and aborts like the C library's.
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <exactdot/simt/on_cpu.hpp>

#include "running.hpp"
#include "symbols.hpp"

namespace exactdot::simt {

void machine::trap(const char* action, const char* reason, const void* caller) {
  end_by_fault(fault_kind::trap, action, reason, caller);
}

void machine::end_by_fault(fault_kind kind, const char* action, const char* reason, const void* caller) {
  const void* const site = attributed(*current_, caller);
  if (recording_ && kind == fault_kind::trap) record_step(step_kind::fence, action, site);
  if (fault* const found = add_fault(kind, site, nullptr)) {
    found->variable = reason;
    found->site = site_of(current_->number, action, site);
  }
  end_launch_by(kind);
}

}  // namespace exactdot::simt

using exactdot::simt::running;

void __trap() {
  const void* const caller = __builtin_return_address(0);
  exactdot::simt::as_simulator([caller] { running->trap("__trap", "", caller); });
}

/// What -fstack-protector calls when a function returns whose arrays were overrun.
extern "C" [[noreturn]] void __stack_chk_fail() {
  const void* const caller = __builtin_return_address(0);
  if (exactdot::simt::in_kernel) {
    exactdot::simt::as_simulator([=] { running->stack_array_overrun(caller); });
  }
  std::fputs("*** stack smashing detected ***\n", stderr);
  std::abort();
}

extern "C" [[noreturn]] void __assert_fail(const char* expression, const char* file, unsigned line,
                                           const char* function) noexcept {
  const void* const caller = __builtin_return_address(0);
  if (exactdot::simt::in_kernel) {
    exactdot::simt::as_simulator([=] { running->trap("assert", expression, caller); });
  }
  std::fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function, expression);
  std::abort();
}

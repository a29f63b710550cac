// Kernels that end their launch: __trap(), and assert, which the host's library leaves to __assert_fail.
//
// As on a GPU the launch ends and the program goes on; what happened is a fault of the stream. Outside of kernels
// __assert_fail does what the C library's does.
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <exactdot/simt/on_cpu.hpp>

#include "machine.hpp"
#include "symbols.hpp"

namespace exactdot::simt {

void machine::trap(const char* what, const char* why, const void* caller) {
  if (fault* const found = add_fault(fault_kind::trap, caller, nullptr)) {
    const source_line here = find_line(caller);
    found->variable = why;
    found->here = {block_index(current_->home->number), thread_index(current_->in_block), what, here.file,
                   here.line};
  }
  abandon(nullptr);
}

}  // namespace exactdot::simt

using exactdot::simt::running;

void __trap() {
  const void* const caller = __builtin_return_address(0);
  exactdot::simt::as_simulator([caller] { running->trap("__trap", "", caller); });
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

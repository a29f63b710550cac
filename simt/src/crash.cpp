// Signal handler for kernels. It runs on an alternate stack and does not return: it switches to the scheduler.
#include "crash.hpp"

#include "machine.hpp"
#include "symbols.hpp"

namespace exactdot::simt {
namespace {

constexpr std::size_t handler_stack_bytes = std::size_t{256} << 10;
alignas(16) char handler_stack[handler_stack_bytes];

void on_crash(int signal, siginfo_t* info, void*) {
  if (!in_kernel || running == nullptr) {  // host code: the default handler gets the signal, raised again
    std::signal(signal, SIG_DFL);
    return;
  }
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  as_simulator([address] { running->crash(address); });
}

}  // namespace

crash_guard::crash_guard() {
  stack_t stack{};
  stack.ss_sp = handler_stack;
  stack.ss_size = handler_stack_bytes;
  sigaltstack(&stack, &stack_before_);
  struct sigaction action {};
  action.sa_sigaction = on_crash;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigaction(SIGSEGV, &action, &segment_before_);
  sigaction(SIGBUS, &action, &bus_before_);
}

crash_guard::~crash_guard() {
  sigaction(SIGBUS, &bus_before_, nullptr);
  sigaction(SIGSEGV, &segment_before_, nullptr);
  sigaltstack(&stack_before_, nullptr);
}

void machine::crash(std::uintptr_t address) {
  thread& self = *current_;
  const std::uintptr_t lowest = reinterpret_cast<std::uintptr_t>(self.stack) - stack_pool::stack_bytes;
  if (address - (lowest - stack_pool::guard_bytes) < stack_pool::guard_bytes) {
    trap("stack overflow", "limit 64 KiB per thread", self.program_counter);
  }
  if (self.last_address % 16 != 0) misaligned(self.last_address, "access", self.program_counter);
  trap("crash", "", self.program_counter);
}

}  // namespace exactdot::simt

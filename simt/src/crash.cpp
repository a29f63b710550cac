// Signal handler for kernels. It runs on an alternate stack and does not return: it switches to the scheduler, with
// the control words of floating point that Linux sets for handlers. The switch loads the scheduler's MXCSR, and the
// guard the x87 control word.
#include "crash.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstring>

#include "running.hpp"
#include "symbols.hpp"

namespace exactdot::simt {
namespace {

constexpr std::size_t handler_stack_bytes = std::size_t{256} << 10;
alignas(16) char handler_stack[handler_stack_bytes];

const crash_guard* active = nullptr;
std::atomic<pid_t> launching_thread{};  // the one that runs the launch; 0 between launches

volatile std::sig_atomic_t kept_signal = 0;

/// Returns the instruction that failed, plus one: find_line() expects return addresses.
const void* instruction_of(const void* context) {
#if defined(__x86_64__)
  return reinterpret_cast<const void*>(static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP] + 1);
#else
  return context == nullptr ? context : nullptr;
#endif
}

void on_crash(int signal, siginfo_t* info, void* context) {
  if (!in_kernel || running == nullptr) {  // host code: the program's handler gets the signal, raised again
    active->restore();
    return;
  }
  crash_report report{signal, false, reinterpret_cast<std::uintptr_t>(info->si_addr), instruction_of(context),
                      nullptr};
  report.has_address = info->si_code == SEGV_MAPERR || info->si_code == SEGV_ACCERR;
#if defined(__x86_64__)
  const auto stack = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RSP];
  if (report.address + 1 == reinterpret_cast<std::uintptr_t>(report.instruction))
    report.called_from = *reinterpret_cast<const void* const*>(stack);
#endif
  as_simulator([=] { running->crash(report); });
}

/// Every half second of processor time. A kernel that has made no step for four of them is in a loop without memory
/// accesses, of which the compiler has left nothing that the simulator sees.
constexpr itimerval half_second = {{0, 500'000}, {0, 500'000}};
constexpr int ticks_of_endless_loop = 4;
std::uint64_t steps_at_tick = 0;
int ticks_without_step = 0;

/// Every ten seconds, if the stream asks for it.
constexpr int ticks_of_progress = 20;
int ticks_of_launch = 0;

void show_progress() {
  if (++ticks_of_launch % ticks_of_progress != 0) return;
  char text[200];
  const int length = std::snprintf(
      text, sizeof text,
      "simt: a launch has run for %d s: %llu of at most %llu steps, %llu of at most %llu basic blocks\n",
      ticks_of_launch / 2, static_cast<unsigned long long>(running->steps() - running->blocks()),
      static_cast<unsigned long long>(running->step_budget()), static_cast<unsigned long long>(running->blocks()),
      static_cast<unsigned long long>(running->block_budget()));
  if (write(2, text, static_cast<std::size_t>(length)) < 0) return;
}

void on_tick(int signal, siginfo_t*, void* context) {
  const pid_t target = launching_thread;
  if (target == 0) return;                          // a tick that was pending at the end of its launch
  if (running == nullptr && gettid() != target) {   // the process's timer chose another
    syscall(SYS_tgkill, getpid(), target, signal);  // fails if it has ended meanwhile
    return;
  }
  if (running != nullptr && running->shows_progress()) show_progress();
  if (running != nullptr && kept_signal != 0) running->return_to_scheduler();
  if (!in_kernel || running == nullptr) return;
  const bool same = running->steps() == steps_at_tick;
  steps_at_tick = running->steps();
  ticks_without_step = same ? ticks_without_step + 1 : 0;
  if (ticks_without_step < ticks_of_endless_loop) return;
  ticks_without_step = 0;
  const void* const instruction = instruction_of(context);
  as_simulator([=] { running->end_by_fault(fault_kind::livelock, "endless loop", "", instruction); });
}

}  // namespace

bool keep_signal(int signal) {
  const pid_t target = launching_thread;
  if (target == 0) return false;
  if (gettid() != target) return syscall(SYS_tgkill, getpid(), target, signal) == 0;
  if (in_kernel || kept_signal != 0) return false;
  kept_signal = signal;
  if (running != nullptr) running->return_to_scheduler();
  return true;
}

void raise_kept_signal() {
  if (kept_signal != 0) std::raise(kept_signal);
}

crash_guard::crash_guard() {
  asm volatile("fnstcw %0" : "=m"(x87_before_));
  stack_t stack{};
  stack.ss_sp = handler_stack;
  stack.ss_size = handler_stack_bytes;
  sigaltstack(&stack, &stack_before_);
  struct sigaction action {};
  action.sa_sigaction = on_crash;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (int i = 0; i < signal_count; ++i) sigaction(signals[i], &action, &before_[i]);
  active = this;
  launching_thread = gettid();
  ticks_of_launch = 0;
  action.sa_sigaction = on_tick;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTART;
  sigaction(SIGVTALRM, &action, &tick_before_);
  setitimer(ITIMER_VIRTUAL, &half_second, &timer_before_);
}

void crash_guard::restore() const {
  for (int i = 0; i < signal_count; ++i) sigaction(signals[i], &before_[i], nullptr);
}

crash_guard::~crash_guard() {
  restore();
  launching_thread = 0;
  setitimer(ITIMER_VIRTUAL, &timer_before_, nullptr);
  // A tick may still be pending for another thread. Its default action would end the program, so the handler stays.
  const bool is_unused = tick_before_.sa_handler == SIG_DFL && timerisset(&timer_before_.it_value) == 0;
  if (!is_unused) sigaction(SIGVTALRM, &tick_before_, nullptr);
  sigaltstack(&stack_before_, nullptr);
  asm volatile("fldcw %0" ::"m"(x87_before_));
  raise_kept_signal();
}

/// Ends the launch with a fault at the line of the instruction, or where the thread was last seen if the
/// instruction is in a library or in the simulator.
void machine::crash(const crash_report& signal) {
  thread& self = *current_;
  const auto is_in_kernel = [this](const void* address) {
    return module_.is_constant(reinterpret_cast<std::uintptr_t>(address)) && find_line(address).line != 0;
  };
  const void* const place = is_in_kernel(signal.instruction)   ? signal.instruction
                            : is_in_kernel(signal.called_from) ? signal.called_from
                                                               : self.position;
  if (signal.signal == SIGFPE) trap("integer division", "by zero, or of the lowest integer by -1", place);
  const std::uintptr_t lowest = reinterpret_cast<std::uintptr_t>(self.stack) - stack_pool::stack_bytes;
  if (signal.address - (lowest - stack_pool::guard_bytes) < stack_pool::guard_bytes)
    trap("stack overflow", "limit 64 KiB per thread", place);
  const bool refused = signal.signal == SIGBUS || (signal.signal == SIGSEGV && !signal.has_address);
  if (refused && self.last_address % 16 != 0) misaligned(self.last_address, "access", self.program_counter);
  trap("crash", strsignal(signal.signal), place);
}

}  // namespace exactdot::simt

// Signals; see interruption.hpp. The handler uses only lock-free atomics, isatty, write and _exit.
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cli/interruption.hpp>
#include <string_view>

namespace exactdot::cli {
namespace {

std::atomic<int> caught_signal{0};
std::atomic<bool> exit_immediately{false};
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

struct ignored_signal {
  int number;
  sighandler_t before;
};
ignored_signal ignored_signals[] = {{SIGPIPE, SIG_DFL}, {SIGXFSZ, SIG_DFL}};

void end_process(int signal_number) {
  constexpr std::string_view message = "exactdot: interrupted\n";
  constexpr std::string_view clear_line = "\r\033[K";
  ssize_t ignored = 0;
  if (isatty(STDERR_FILENO) == 1) ignored += write(STDERR_FILENO, clear_line.data(), clear_line.size());
  ignored += write(STDERR_FILENO, message.data(), message.size());
  static_cast<void>(ignored);
  _exit(128 + signal_number);
}

void on_signal(int signal_number) {
  if (exit_immediately.load()) end_process(signal_number);
  caught_signal.store(signal_number);
  program_monitor().cancel.store(true);
}

}  // namespace

exactdot::monitor& program_monitor() {
  static constinit exactdot::monitor monitor;
  return monitor;
}

void install_signal_handlers() {
  for (auto& [number, before] : ignored_signals) before = signal(number, SIG_IGN);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action = {};
    if (sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN) continue;
    action = {};
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, nullptr);
  }
}

void restore_ignored_signals() {
  for (const auto& [number, before] : ignored_signals) signal(number, before);
}

int interrupted_status() { return 128 + caught_signal.load(); }

immediate_exit::immediate_exit() {
  exit_immediately.store(true);
  const int earlier = caught_signal.load();
  if (earlier != 0) end_process(earlier);
}

immediate_exit::~immediate_exit() { exit_immediately.store(false); }

}  // namespace exactdot::cli

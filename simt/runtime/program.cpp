// Begin and end of a program that simtcc compiled: several runs with --seeds, and the report at its end.
//
// With several seeds the program is forked before main, once a seed, one run after the other. Each run sends its
// report through a pipe; only the first one's output is shown. The report is printed by the last of the functions
// that exit() calls, by _exit() and quick_exit(), and by a handler of the signals that end a program; it says so if
// the program did not run to its end. With findings, status 0 becomes 66; if the file of findings cannot be
// written, 2. The page with the stepper is written after the report, which is then known whatever happens.
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <set>
#include <utility>
#include <vector>

#include "context.hpp"
#include "crash.hpp"
#include "page.hpp"
#include "report.hpp"
#include "running.hpp"
#include "symbols.hpp"

namespace exactdot::simt {
namespace {

bool reported = false;
bool is_extra_run = false;  // a further seed: its page is of use only if it has findings
pid_t process = 0;          // the one that reports: not a child that the program has forked

constexpr int status_of_unwritten_report = 2;
constexpr char page_mark = '\x1c';  // in the pipe, between the report and what is said about the page

/// The status of a process that would end with `status`, after its report.
int status_after(int status, bool report_is_written, bool has_findings) {
  if (status != 0) return status;
  if (!report_is_written) return status_of_unwritten_report;
  return has_findings ? status_of_findings : 0;
}

constexpr int stopping[] = {SIGTERM, SIGINT, SIGHUP};  // which somebody sends
constexpr int ending_signals[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTERM, SIGINT, SIGHUP};

const sigset_t& stopping_signals() {
  static const sigset_t signals = [] {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : stopping) sigaddset(&set, signal);
    return set;
  }();
  return signals;
}

[[noreturn]] void end_process(int status) {
  for (;;) syscall(SYS_exit_group, status);
}

void send(const std::string& bytes) {
  for (std::size_t sent = 0; sent < bytes.size();) {
    const ssize_t count = write(report_pipe, bytes.data() + sent, bytes.size() - sent);
    if (count <= 0) return;
    sent += static_cast<std::size_t>(count);
  }
}

/// Writes the page, if there is to be one. Returns whether that did not fail. Of a run among several the lines for
/// stderr follow the report in the pipe.
bool publish_page(const run_report& report) {
  if (!has_page() || (is_extra_run && report.faults() == 0)) return true;
  const page_result result = finish_page(report);
  if (report_pipe >= 0) {
    send(page_mark + result.messages);
  } else {
    std::fputs(result.messages.c_str(), stderr);
  }
  return result.is_written;
}

/// Reports once. Returns the status of a program that would end with this one.
int report_now(int status, int signal = 0) {
  if (getpid() != process || std::exchange(reported, true)) return status;
  run_report report = collect_report(signal != 0 ? 1 : status);
  report.stopped_by = signal;
  report.in_launch = signal != 0 && running != nullptr;
  bool written = true;
  if (report_pipe >= 0) {
    send(to_bytes(report));
  } else {
    written = publish(report);
  }
  if (!publish_page(report)) written = false;
  if (report_pipe >= 0) close(report_pipe);
  return status_after(status, written, report.faults() != 0);
}

void on_end(int status, void*) {
  std::cout.flush();
  std::fflush(nullptr);
  const int changed = report_now(status);
  if (changed != status) {
    std::fflush(nullptr);
    end_process(changed);
  }
}

int status_of_quick_exit = 0;

void on_quick_end() {
  const int status = report_now(status_of_quick_exit);
  if (status != status_of_quick_exit) end_process(status);
}

void on_signal(int signal) {
  const bool is_stopping = std::find(std::begin(stopping), std::end(stopping), signal) != std::end(stopping);
  if (is_stopping && keep_signal(signal)) return;
  std::signal(signal, SIG_DFL);
  std::fflush(nullptr);
  constexpr unsigned seconds_for_report = 30;  // memory may be in disorder
  std::signal(SIGALRM, SIG_DFL);
  alarm(seconds_for_report);
  report_now(0, signal);
  std::raise(signal);
}

/// On the alternate stack, because a thread of a kernel has a small one. A signal that is ignored stays ignored.
void report_at_signals() {
  static char stack_of_handlers[std::size_t{1} << 20];  // the program's may be full
  stack_t stack{};
  stack.ss_sp = stack_of_handlers, stack.ss_size = sizeof stack_of_handlers;
  sigaltstack(&stack, nullptr);
  for (const int signal : ending_signals) {
    struct sigaction action {};
    sigaction(signal, nullptr, &action);
    if (action.sa_handler == SIG_IGN) continue;
    action = {};
    action.sa_handler = on_signal;
    action.sa_flags = SA_ONSTACK | SA_NODEFER;
    sigaction(signal, &action, nullptr);
  }
}

/// Of the process that runs all seeds: the signal that stopped it, and the run to stop too.
volatile std::sig_atomic_t stopped_by = 0, current_run = 0;

void stop_runs(int signal) {
  stopped_by = signal;
  if (current_run > 0) kill(static_cast<pid_t>(current_run), signal);
}

/// Runs the program once, in a child. Returns true in the child; in the parent false, with the report and status.
bool run_once(unsigned index, run_report& report, std::string& page_lines, int& status) {
  int ends[2];
  if (pipe(ends) != 0) return false;
  const pid_t child = fork();
  if (child == 0) {
    for (const int signal : stopping) std::signal(signal, SIG_DFL);
    sigprocmask(SIG_UNBLOCK, &stopping_signals(), nullptr);
    process = getpid();
    close(ends[0]);
    report_pipe = ends[1];
    fcntl(report_pipe, F_SETFD, FD_CLOEXEC);
    if (index != 0) {
      const int null = open("/dev/null", O_WRONLY);
      dup2(null, 1), dup2(null, 2);
    }
    return true;
  }
  current_run = child;
  sigprocmask(SIG_UNBLOCK, &stopping_signals(), nullptr);
  close(ends[1]);
  std::string bytes;
  char buffer[4096];
  for (ssize_t count; (count = read(ends[0], buffer, sizeof buffer)) > 0 || (count < 0 && errno == EINTR);)
    bytes.append(buffer, static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  close(ends[0]);
  int result = 0;
  while (waitpid(child, &result, 0) < 0 && errno == EINTR) continue;
  current_run = 0;
  status = WIFEXITED(result) ? WEXITSTATUS(result) : 128 + WTERMSIG(result);
  const std::size_t mark = std::min(bytes.find(page_mark), bytes.size());
  report = from_bytes(bytes.substr(0, mark));
  if (mark != bytes.size()) page_lines = bytes.substr(mark + 1);
  return false;
}

void add(run_report& total, const run_report& report) {
  total.launches += report.launches, total.steps += report.steps;
  total.elapsed_time_used |= report.elapsed_time_used;
  if (report.stopped_by != 0) total.stopped_by = report.stopped_by, total.in_launch = report.in_launch;
  if (total.costs.empty()) total.costs = report.costs, total.costs_json = report.costs_json;
  std::set<std::string> counted;  // of this run
  for (const finding& found : report.findings) {
    if (!counted.insert(found.key).second) continue;
    const auto known = std::find_if(total.findings.begin(), total.findings.end(),
                                    [&](const finding& earlier) { return earlier.key == found.key; });
    if (known == total.findings.end()) {
      total.findings.push_back(found);
    } else {
      ++known->seeds;
    }
  }
}

/// Standard input, which all runs share: a file is read from the same place by each. What one reads of a pipe, the next
/// ones lack.
class shared_input {
 public:
  void rewind() const {
    if (place_ >= 0) lseek(0, place_, SEEK_SET);
  }
  /// After the first run.
  void note_if_read() const {
    if (place_ < 0 && isatty(0) == 0 && available() < available_)
      std::fputs("simtcc: the first run has read standard input, which is no file: the others have no more of it\n", stderr);
  }

 private:
  static int available() {
    int bytes = 0;
    return ioctl(0, FIONREAD, &bytes) == 0 ? bytes : 0;
  }
  off_t place_ = lseek(0, 0, SEEK_CUR);
  int available_ = available();
};

/// Runs the program with every seed. Returns in the processes of the runs only. The page shows the first run with
/// findings, or the first one.
void run_all_seeds(program_settings& settings) {
  run_report total;
  std::vector<run_report> runs;
  std::string page_lines;
  int first_status = 0;
  struct sigaction action {};
  action.sa_handler = stop_runs;
  for (const int signal : stopping) sigaction(signal, &action, nullptr);
  (void)find_line(reinterpret_cast<const void*>(&run_once));  // reads the tables of lines, once for all runs
  const shared_input input;
  for (unsigned i = 0; i < settings.seeds; ++i) {
    input.rewind();
    run_report report;
    sigprocmask(SIG_BLOCK, &stopping_signals(), nullptr);  // until run_once() knows the process to stop
    if (stopped_by != 0) {
      sigprocmask(SIG_UNBLOCK, &stopping_signals(), nullptr);
      settings.seeds = std::max(1U, i), total.stopped_by = stopped_by;
      break;
    }
    int status = 0;
    if (run_once(i, report, page_lines, status)) {
      is_extra_run = i != 0;
      if (is_extra_run && total.faults() != 0) settings.html.clear();
      settings.seed += i;
      runtime_context::instance().stream.state().keeps_sums = true;
      runtime_context::instance().stream.settings().seed = settings.seed;
      return;
    }
    if (i == 0) input.note_if_read();
    if (status != status_of_findings && first_status == 0) first_status = status;
    add(total, report);
    runs.push_back(std::move(report));
    if (stopped_by != 0) {
      settings.seeds = i + 1;
      total.stopped_by = stopped_by;
      break;
    }
  }
  const auto is_race = [](const finding& found) { return found.key.starts_with(name_of(fault_kind::data_race)); };
  if (std::none_of(total.findings.begin(), total.findings.end(), is_race)) {
    for (finding& note : compare_sums(runs, settings.seed)) total.findings.push_back(std::move(note));
  }
  const bool written = publish(total);
  std::fputs(page_lines.c_str(), stderr);
  if (stopped_by != 0) {
    std::signal(stopped_by, SIG_DFL);
    std::raise(stopped_by);
  }
  end_process(status_after(first_status, written, total.faults() != 0));
}

/// Before the program's own initialisers, so that on_end() is called after its destructors.
[[gnu::constructor(101)]] void begin() {
  static std::ios_base::Init streams;
  auto& settings = runtime_context::instance().settings;
  if (settings.seeds > 1) run_all_seeds(settings);
  if (!settings.html.empty()) start_page();
  process = getpid();
  on_exit(on_end, nullptr);
  std::at_quick_exit(on_quick_end);
  report_at_signals();
}

}  // namespace

/// simtcc asks the linker for this symbol and so gets this file from the library.
extern "C" {
extern const char exactdot_simtcc_program;
const char exactdot_simtcc_program = 1;

/// Instead of the C library's, which ends the process without a word of what was found.
[[noreturn]] void _exit(int status) { exactdot::simt::end_process(exactdot::simt::report_now(status)); }
[[noreturn]] void _Exit(int status) { _exit(status); }

/// simtcc links with --wrap=quick_exit: the functions that quick_exit() calls do not get its status.
[[gnu::weak, noreturn]] void __real_quick_exit(int status);
[[noreturn]] void __wrap_quick_exit(int status) {
  exactdot::simt::status_of_quick_exit = status;
  __real_quick_exit(status);
}
}

constexpr char field = '\x1f', record = '\x1e', part = '\x1d';

std::string to_bytes(const run_report& report) {
  std::string sums;
  for (const run_report::sum& sum : report.sums) {
    char value[32];
    std::snprintf(value, sizeof value, "%a", sum.value);
    sums += sum.key + part + sum.variable + part + sum.file + part + std::to_string(sum.line) + part + value + part;
  }
  std::string bytes = std::to_string(report.launches) + field + std::to_string(report.steps) + field +
                      (report.elapsed_time_used ? "1" : "0") + field + std::to_string(report.stopped_by) + field +
                      (report.in_launch ? "1" : "0") + field + sums + field + report.costs + field +
                      report.costs_json + record;
  for (const finding& found : report.findings)
    bytes += found.text + field + found.json + field + found.key + field + (found.is_note ? "1" : "0") + field +
             std::to_string(found.first_seed) + record;
  return bytes;
}

run_report from_bytes(const std::string& bytes) {
  run_report report;
  std::size_t at = 0;
  const auto next = [&](char end) {
    const std::size_t stop = std::min(bytes.find(end, at), bytes.size());
    std::string text = bytes.substr(at, stop - at);
    at = std::min(stop + 1, bytes.size());
    return text;
  };
  report.launches = std::strtoull(next(field).c_str(), nullptr, 10);
  report.steps = std::strtoull(next(field).c_str(), nullptr, 10);
  report.elapsed_time_used = next(field) == "1";
  report.stopped_by = static_cast<int>(std::strtol(next(field).c_str(), nullptr, 10));
  report.in_launch = next(field) == "1";
  const std::string sums = next(field);
  for (std::size_t first = 0; first < sums.size();) {
    const auto take = [&] {
      const std::size_t stop = std::min(sums.find(part, first), sums.size());
      std::string text = sums.substr(first, stop - first);
      first = stop + 1;
      return text;
    };
    run_report::sum sum;
    sum.key = take(), sum.variable = take(), sum.file = take();
    sum.line = static_cast<int>(std::strtol(take().c_str(), nullptr, 10));
    sum.value = std::strtod(take().c_str(), nullptr);
    report.sums.push_back(sum);
  }
  report.costs = next(field), report.costs_json = next(record);
  while (at < bytes.size()) {
    finding found;
    found.text = next(field), found.json = next(field), found.key = next(field);
    found.is_note = next(field) == "1";
    found.first_seed = std::strtoull(next(record).c_str(), nullptr, 10);
    report.findings.push_back(found);
  }
  return report;
}

}  // namespace exactdot::simt

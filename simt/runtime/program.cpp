// Begin and end of a program that simtcc compiled: several runs with --seeds, and the report at its end.
//
// With several seeds the program is forked before main, once a seed, one run after the other. Each run sends its
// report through a pipe; only the first one's output is shown. The report is printed by the last of the functions
// that exit() calls, and by a handler of the signals that end a program. With findings, status 0 becomes 66.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <utility>

#include "context.hpp"
#include "report.hpp"

namespace exactdot::simt {
namespace {

bool reported = false;

void send(const std::string& bytes) {
  for (std::size_t sent = 0; sent < bytes.size();) {
    const ssize_t count = write(report_pipe, bytes.data() + sent, bytes.size() - sent);
    if (count <= 0) return;
    sent += static_cast<std::size_t>(count);
  }
}

/// Reports once. Returns whether there are findings.
bool report_now() {
  if (std::exchange(reported, true)) return false;
  const run_report report = collect_report();
  if (report_pipe >= 0) {
    send(to_bytes(report));
    close(report_pipe);
  } else {
    publish(report);
  }
  return !report.findings.empty();
}

void on_end(int status, void*) {
  std::cout.flush();
  std::fflush(nullptr);
  if (report_now() && status == 0) {
    std::fflush(nullptr);
    _exit(status_of_findings);
  }
}

void on_signal(int signal) {
  std::signal(signal, SIG_DFL);
  std::fflush(nullptr);
  report_now();
  std::raise(signal);
}

/// Runs the program once, in a child. Returns true in the child; in the parent false, with the report and status.
bool run_once(unsigned index, run_report& report, int& status) {
  int ends[2];
  if (pipe(ends) != 0) return false;
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    report_pipe = ends[1];
    fcntl(report_pipe, F_SETFD, FD_CLOEXEC);
    if (index != 0) {
      const int null = open("/dev/null", O_WRONLY);
      dup2(null, 1), dup2(null, 2);
    }
    return true;
  }
  close(ends[1]);
  std::string bytes;
  char buffer[4096];
  for (ssize_t count; (count = read(ends[0], buffer, sizeof buffer)) > 0;)
    bytes.append(buffer, static_cast<std::size_t>(count));
  close(ends[0]);
  int result = 0;
  waitpid(child, &result, 0);
  status = WIFEXITED(result) ? WEXITSTATUS(result) : 128 + WTERMSIG(result);
  report = from_bytes(bytes);
  return false;
}

void add(run_report& total, const run_report& report) {
  total.launches += report.launches, total.steps += report.steps;
  total.elapsed_time_used |= report.elapsed_time_used;
  if (total.costs.empty()) total.costs = report.costs, total.costs_json = report.costs_json;
  for (const finding& found : report.findings) {
    finding* known = nullptr;
    for (finding& earlier : total.findings) {
      if (earlier.key == found.key) known = &earlier;
    }
    if (known == nullptr) {
      total.findings.push_back(found);
    } else {
      ++known->seeds;
    }
  }
}

/// Runs the program with every seed. Returns in the processes of the runs only.
void run_all_seeds(program_settings& settings) {
  run_report total;
  int first_status = 0;
  for (unsigned i = 0; i < settings.seeds; ++i) {
    run_report report;
    int status = 0;
    if (run_once(i, report, status)) {
      settings.seed += i;
      runtime_context::instance().stream.settings().seed = settings.seed;
      return;
    }
    if (status != status_of_findings && first_status == 0) first_status = status;
    add(total, report);
  }
  publish(total);
  _exit(first_status != 0 ? first_status : total.findings.empty() ? 0 : status_of_findings);
}

/// Before the program's own initialisers, so that on_end() is called after its destructors.
[[gnu::constructor(101)]] void begin() {
  static std::ios_base::Init streams;
  auto& settings = runtime_context::instance().settings;
  if (settings.seeds > 1) run_all_seeds(settings);
  on_exit(on_end, nullptr);
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTERM, SIGINT})
    std::signal(signal, on_signal);
}

}  // namespace

/// simtcc asks the linker for this symbol and so gets this file from the library.
extern "C" {
extern const char exactdot_simtcc_program;
const char exactdot_simtcc_program = 1;
}

constexpr char field = '\x1f', record = '\x1e';

std::string to_bytes(const run_report& report) {
  std::string bytes = std::to_string(report.launches) + field + std::to_string(report.steps) + field +
                      (report.elapsed_time_used ? "1" : "0") + field + report.costs + field + report.costs_json +
                      record;
  for (const finding& found : report.findings)
    bytes +=
        found.text + field + found.json + field + found.key + field + std::to_string(found.first_seed) + record;
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
  report.costs = next(field), report.costs_json = next(record);
  while (at < bytes.size()) {
    finding found;
    found.text = next(field), found.json = next(field), found.key = next(field);
    found.first_seed = std::strtoull(next(record).c_str(), nullptr, 10);
    report.findings.push_back(found);
  }
  return report;
}

}  // namespace exactdot::simt

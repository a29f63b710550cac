// Samples and tables of thread_runtimes.
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <plan/thread_count.hpp>
#include <vector>

#include "thread_runtimes.hpp"

namespace thread_runtimes {
namespace {

using clock = std::chrono::steady_clock;

std::vector<int> exponents(bool quick) {
  if (quick) return {14, 16, 18, 20};
  return {12, 14, 15, 16, 17, 18, 20, 22, 24, 26};
}

double nanoseconds_of(const runtime& measured, const std::vector<float>& a, const std::vector<float>& b,
                      std::size_t n, std::size_t calls) {
  const auto start = clock::now();
  volatile double sink = 0;
  for (std::size_t i = 0; i < calls; ++i) sink = measured.dot(a.data(), b.data(), n);
  (void)sink;
  return std::chrono::duration<double, std::nano>(clock::now() - start).count();
}

/// A process that computes all the time, until it is killed.
pid_t start_competitor() {
  const pid_t child = fork();
  if (child != 0) return child;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (volatile unsigned work = 0;;) work = work + 1;
}

/// Of one length: nanoseconds a call with one thread, and ratios to that of a runtime's calls beside them.
struct samples {
  std::vector<double> single;
  std::map<std::string, std::vector<double>> ratios;
};

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values.empty() ? 0 : values[values.size() / 2];
}

void add_samples(const std::string& program, const runtime& measured, const std::string& options,
                 std::map<int, samples>& found) {
  const std::string command =
      fmt::format("{}'{}' --measure {} {}", measured.passive ? "OMP_WAIT_POLICY=passive " : "", program,
                  measured.name, options);
  FILE* const output = popen(command.c_str(), "r");
  int exponent = 0;
  double single = 0, nanoseconds = 0;
  while (std::fscanf(output, "%d %lf %lf", &exponent, &single, &nanoseconds) == 3) {
    found[exponent].single.push_back(single);
    found[exponent].ratios[measured.name].push_back(nanoseconds / single);
  }
  pclose(output);
}

/// Prints the table, and returns the largest ratio of the last runtime, the library.
double print_table(const std::map<int, samples>& all) {
  double worst = 0;
  fmt::print("| n | 1 thread, µs |");
  for (const runtime& each : runtimes.subspan(1)) fmt::print(" {} |", each.title);
  fmt::print("\n|---|---|---|---|---|---|---|\n");
  for (const auto& [exponent, found] : all) {
    fmt::print("| 2^{} | {:.1f} |", exponent, median(found.single) / 1000);
    for (const runtime& each : runtimes.subspan(1)) fmt::print(" {:.2f} |", median(found.ratios.at(each.name)));
    fmt::print("\n");
    worst = std::max(worst, median(found.ratios.at(runtimes.back().name)));
  }
  fmt::print("\n");
  return worst;
}

/// What a child process does with the runtime: "works", "hangs" or "ends the process".
template <class Prepare>
const char* outcome(const runtime& tested, Prepare prepare) {
  const pid_t child = fork();
  if (child == 0) {
    (void)!std::freopen("/dev/null", "w", stderr);
    alarm(20);
    prepare();
    const std::vector<float> ones(1 << 17, 1.0f);
    _exit(tested.dot(ones.data(), ones.data(), ones.size()) == static_cast<double>(ones.size()) ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return "works";
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM ? "hangs" : "ends the process";
}

void forbid_threads() {
  const rlimit none{1, 1};
  setrlimit(RLIMIT_NPROC, &none);
  if (geteuid() == 0 && setuid(65534) != 0) _exit(2);  // root may have any number
}

/// Uses the runtime, then forks children until one hangs, up to 1000.
const char* outcome_in_forks(const runtime& tested) {
  const char* seen = "works";
  const std::vector<float> ones(1 << 17, 1.0f);
  for (int i = 0; i < 1000 && std::string(seen) == "works"; ++i) {
    (void)tested.dot(ones.data(), ones.data(), ones.size());
    seen = outcome(tested, [] {});
  }
  return seen;
}

/// Nanoseconds a call, of calls in a row that last about `duration`, after a pause that lets waiting threads fall
/// asleep.
double nanoseconds_in_a_row(const runtime& measured, const std::vector<float>& a, const std::vector<float>& b,
                            std::size_t n, double duration) {
  usleep(10'000);
  std::size_t calls = 0;
  double nanoseconds = 0;
  for (std::size_t more = 1; nanoseconds < duration; calls += more, more = calls) {
    nanoseconds += nanoseconds_of(measured, a, b, n, more);
  }
  return nanoseconds / static_cast<double>(calls);
}

/// Nanoseconds of a call after a pause.
double nanoseconds_after_pauses(const runtime& measured, const std::vector<float>& a, const std::vector<float>& b,
                                std::size_t n) {
  std::vector<double> found;
  for (int i = 0; i < 31; ++i) {
    usleep(1000);
    found.push_back(nanoseconds_of(measured, a, b, n, 1));
  }
  return median(found);
}

}  // namespace

/// Samples of one thread and of the runtime take turns: other processes on the machine affect both.
void measure(const runtime& measured, bool quick, bool pauses) {
  std::vector<float> a(std::size_t{1} << exponents(quick).back()), b(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i * 7919 % 2048) - 1024, b[i] = a[i] + 0.5f;
  for (const int exponent : exponents(quick)) {
    const std::size_t n = std::size_t{1} << exponent;
    for (int i = 0; i < 5; ++i) {
      const auto sample = [&](const runtime& each) {
        return pauses ? nanoseconds_after_pauses(each, a, b, n) : nanoseconds_in_a_row(each, a, b, n, 3e7);
      };
      const double single = sample(runtimes[0]);
      fmt::print("{} {} {}\n", exponent, single, sample(measured));
    }
  }
}

void print_times(const std::string& program, bool quick) {
  const int processors = exactdot::engine::available_processors();
  const int rounds = quick ? 2 : 3;
  const auto print = [&](const std::string& title, const std::string& options) {
    std::map<int, samples> all;
    for (int round = 0; round < rounds; ++round) {
      for (const runtime& each : runtimes.subspan(1)) {
        add_samples(program, each, options + (quick ? " --quick" : ""), all);
      }
    }
    fmt::print("{} processors, {}; time / time with 1 thread:\n\n", processors, title);
    const double worst = print_table(all);
    std::fflush(stdout);
    return worst;
  };
  std::string goals;
  print("otherwise idle, a call every millisecond", "--pauses");
  for (const int competitors : {0, 1, 2}) {
    std::vector<pid_t> competing;
    for (int i = 0; i < competitors * processors; ++i) competing.push_back(start_competitor());
    const double worst =
        print(fmt::format("{} competitors per processor, one call after the other", competitors), "");
    goals += fmt::format("| {} | 1.5 | {:.2f} | {} |\n", competitors, worst, worst <= 1.5 ? "yes" : "no");
    for (const pid_t each : competing) {
      kill(each, SIGKILL);
      waitpid(each, nullptr, 0);
    }
  }
  fmt::print(
      "| competitors per processor | goal: time with `threads = 0` / 1 | largest | met |\n|---|---|---|---|\n{}",
      goals);
}

void print_failures() {
  fmt::print("| | no thread can be started | in a child forked after use, 1000 children |\n|---|---|---|\n");
  for (const runtime& each : runtimes) {
    if (each.passive) continue;
    std::fflush(stdout);
    fmt::print("| {} | {} |", each.title, outcome(each, forbid_threads));
    std::fflush(stdout);
    fmt::print(" {} |\n", outcome_in_forks(each));
  }
  fmt::print("\n");
  std::fflush(stdout);
}

}  // namespace thread_runtimes

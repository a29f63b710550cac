// Calls with several threads in processes that cannot start any, in forked children, and beside busy processes.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <exactdot/exactdot.hpp>
#include <system_error>
#include <thread>
#include <vector>

namespace {

constexpr int passed = 0, failed = 1, skipped = 77;

const std::vector<double>& data() {
  static const std::vector<double> x = [] {
    std::vector<double> values(1 << 20);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1.0 / static_cast<double>(i + 1);
    return values;
  }();
  return x;
}

double dot(int threads, exactdot::mode mode = exactdot::mode::exact) {
  return exactdot::dot(data(), data(), {.mode = mode, .device = exactdot::device::cpu, .threads = threads});
}

/// Whether calls on several threads have the bits of one thread.
bool works() {
  bool equal = true;
  for (const auto mode : {exactdot::mode::exact, exactdot::mode::fast}) {
    for (const int threads : {2, 0, 16}) equal = equal && dot(threads, mode) == dot(1, mode);
  }
  return equal;
}

/// The exit status of a child that calls the function; the number of the signal that ended it, negated.
template <class Function>
int status_of_child(Function function) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    _exit(function());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

int works_without_threads() {
  const rlimit none{1, 1};
  setrlimit(RLIMIT_NPROC, &none);
  if (geteuid() == 0 && setuid(65534) != 0) return skipped;  // root may have any number of threads
  try {
    std::thread([] {}).join();
    return skipped;
  } catch (const std::system_error&) {
    return works() ? passed : failed;
  }
}

TEST(a_process, that_can_start_no_thread_computes_with_one) {
  (void)data();
  const int status = status_of_child(works_without_threads);
  if (status == skipped) GTEST_SKIP() << "this system starts threads without limit";
  EXPECT_EQ(status, passed);
}

TEST(a_process, computes_in_forked_children_whether_or_not_the_parent_has_helpers) {
  (void)data();
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(status_of_child([] { return works() ? passed : failed; }), passed);
    EXPECT_TRUE(works());
  }
}

TEST(a_process, may_fork_while_another_thread_computes) {
  (void)data();
  std::atomic<bool> ends{false};
  std::thread caller([&] {
    while (!ends) EXPECT_TRUE(works());
  });
  for (int i = 0; i < 50; ++i) EXPECT_EQ(status_of_child([] { return works() ? passed : failed; }), passed);
  ends = true;
  caller.join();
}

/// Microseconds a call.
double time_of_calls(int threads) {
  using clock = std::chrono::steady_clock;
  const auto start = clock::now();
  int calls = 0;
  double seconds = 0;
  do {
    volatile double sink = exactdot::dot<double>(data().data(), data().data(), 1 << 17, {.threads = threads});
    (void)sink;
    ++calls;
    seconds = std::chrono::duration<double>(clock::now() - start).count();
  } while (seconds < 0.3);
  return seconds / calls * 1e6;
}

/// Two processes per processor that compute all the time, as long as this object lives.
class busy_machine {
 public:
  busy_machine() {
    for (int i = 0; i < 2 * exactdot::cpu().threads; ++i) {
      processes_.push_back(fork());
      if (processes_.back() != 0) continue;
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      for (volatile unsigned work = 0;;) work = work + 1;
    }
  }
  ~busy_machine() {
    for (const pid_t each : processes_) {
      kill(each, SIGKILL);
      waitpid(each, nullptr, 0);
    }
  }
  busy_machine(const busy_machine&) = delete;
  busy_machine& operator=(const busy_machine&) = delete;

 private:
  std::vector<pid_t> processes_;
};

/// The goal is 1.5 (docs/performance.md); a team that waits for all of its threads takes 20 to 400. Other processes
/// disturb single ratios, so the best of several counts.
TEST(a_busy_machine, does_not_make_calls_wait_for_their_helpers) {
  const busy_machine busy;
  double best = 1e9;
  for (int i = 0; i < 6 && best > 1.5; ++i) {
    const double alone = time_of_calls(1);
    best = std::min(best, time_of_calls(0) / alone);
  }
  EXPECT_LE(best, 4);
}

}  // namespace

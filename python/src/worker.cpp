// Workers stay alive between calls, and with them their OpenMP teams: starting a team costs more than a dot from
// cache. After a fork the child has no thread but its own, and OpenMP's team of that one is gone: every call that
// would use a team then takes a new worker, whose team is new too.
#include <pthread.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <plan/thread_count.hpp>
#include <python/src/gil.hpp>
#include <python/src/worker.hpp>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace exactdot::python {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t long_call = std::size_t{1} << 24;
constexpr std::size_t call_with_a_team = 2 * engine::elements_per_thread;
constexpr milliseconds time_between_looks{50};

class worker {
 public:
  worker() {
    std::thread([this] { serve(); }).detach();
  }

  void start(std::function<void()> job) {
    const std::lock_guard lock(mutex_);
    job_ = std::move(job);
    done_ = false;
    change_.notify_all();
  }

  bool wait_for(milliseconds time) {
    std::unique_lock lock(mutex_);
    return change_.wait_for(lock, time, [this] { return done_; });
  }

 private:
  void serve() {
    std::unique_lock lock(mutex_);
    for (;;) {
      change_.wait(lock, [this] { return static_cast<bool>(job_); });
      const auto job = std::exchange(job_, nullptr);
      lock.unlock();
      job();
      lock.lock();
      done_ = true;
      change_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable change_;
  std::function<void()> job_;
  bool done_ = true;
};

/// How often this process is a fork of one that had loaded this module.
std::atomic<int> forks{0};

/// The workers that wait for a call. Guarded by the GIL. Neither they nor the list are ever destroyed: at exit
/// their threads may still run.
std::vector<worker*>*& idle_workers() {
  static auto* idle = new std::vector<worker*>;
  return idle;
}

/// Null where the system has no more threads.
worker* take_worker() {
  auto& idle = *idle_workers();
  if (!idle.empty()) {
    worker* const taken = idle.back();
    idle.pop_back();
    return taken;
  }
  try {
    return new worker;
  } catch (const std::system_error&) {
    return nullptr;
  }
}

/// Waits for the worker, and calls the handlers of signals meanwhile; the first exception of one cancels the work.
std::exception_ptr wait_for(worker& mine, monitor& watch) {
  const int generation = forks;
  std::exception_ptr raised;
  const auto ends = [&] {
    const gil_release others_may_run;
    return mine.wait_for(time_between_looks);
  };
  while (!ends()) {
    if (raised == nullptr && PyErr_CheckSignals() != 0) {
      raised = std::make_exception_ptr(nanobind::python_error());
      watch.cancel = true;
    }
    if (generation == forks) continue;
    if (raised != nullptr) std::rethrow_exception(raised);
    throw std::runtime_error("a handler of a signal forked: the child has no worker to wait for");
  }
  return raised;
}

}  // namespace

void watch_forks() {
  pthread_atfork(nullptr, nullptr, [] {
    idle_workers() = new std::vector<worker*>;  // the others' threads are the parent's
    ++forks;
  });
}

std::size_t min_long_call() { return forks != 0 ? call_with_a_team : long_call; }

bool run_interruptibly(const std::function<void(monitor&)>& work) {
  monitor watch;
  std::exception_ptr failure;
  worker* const mine = take_worker();
  if (mine == nullptr) return false;
  mine->start([&] {
    try {
      work(watch);
    } catch (...) {
      failure = std::current_exception();
    }
  });
  const std::exception_ptr raised = wait_for(*mine, watch);
  idle_workers()->push_back(mine);
  if (raised != nullptr) std::rethrow_exception(raised);
  if (failure != nullptr) std::rethrow_exception(failure);
  return true;
}

}  // namespace exactdot::python

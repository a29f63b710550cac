// Workers stay alive between calls: starting a thread costs more than a dot product of vectors in the cache.
// Threads do not survive a fork, so a child starts with an empty list of workers.
#include <pthread.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
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

constexpr milliseconds poll_interval{50};

class worker {
 public:
  worker() {
    std::thread([this] { serve(); }).detach();
  }

  void start(std::function<void()> work) {
    const std::lock_guard lock(mutex_);
    work_ = std::move(work);
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
      change_.wait(lock, [this] { return static_cast<bool>(work_); });
      const auto work = std::exchange(work_, nullptr);
      lock.unlock();
      work();
      lock.lock();
      done_ = true;
      change_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable change_;
  std::function<void()> work_;
  bool done_ = true;
};

/// The number of forks between this process and the one that loaded this module.
std::atomic<int> forks{0};

/// The workers that wait for a call. Guarded by the GIL. Neither the list nor its workers are destroyed: their
/// threads may still run at exit.
std::vector<worker*>*& idle_workers() {
  static auto* idle = new std::vector<worker*>;
  return idle;
}

/// An idle worker, or a new one. Null if the system has no thread left.
worker* acquire_worker() {
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

/// Waits for a worker and polls for signals. The first exception that a signal handler raises cancels the work and
/// is returned.
std::exception_ptr wait_for(worker& worker, monitor& monitor) {
  const int generation = forks;
  std::exception_ptr raised;
  const auto is_done = [&] {
    const gil_release gil_released;
    return worker.wait_for(poll_interval);
  };
  while (!is_done()) {
    if (raised == nullptr && PyErr_CheckSignals() != 0) {
      raised = std::make_exception_ptr(nanobind::python_error());
      monitor.cancel = true;
    }
    if (generation == forks) continue;
    if (raised != nullptr) std::rethrow_exception(raised);
    throw std::runtime_error("a signal handler forked during a long call; the child cannot continue the call");
  }
  return raised;
}

}  // namespace

void register_fork_handler() {
  pthread_atfork(nullptr, nullptr, [] {
    idle_workers() = new std::vector<worker*>;  // the threads of the old list are the parent's
    ++forks;
  });
}

bool run_interruptibly(const std::function<void(monitor&)>& work) {
  exactdot::monitor monitor;
  std::exception_ptr failure;
  worker* const worker = acquire_worker();
  if (worker == nullptr) return false;
  worker->start([&] {
    try {
      work(monitor);
    } catch (...) {
      failure = std::current_exception();
    }
  });
  const std::exception_ptr raised = wait_for(*worker, monitor);
  idle_workers()->push_back(worker);
  if (raised != nullptr) std::rethrow_exception(raised);
  if (failure != nullptr) std::rethrow_exception(failure);
  return true;
}

}  // namespace exactdot::python

// Threads that help a call: the caller works, and threads of a pool join it if they come before the work is done.
//
// The caller waits only for helpers that have started. So a call ends also if none can start: because another
// process holds the processors, or because the system refuses threads. Helpers sleep between calls, are started
// when they are first needed, and live until the process ends. A forked child has a new, empty pool.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <plan/help_budget.hpp>

namespace exactdot::inline v0_3::engine {

/// What a call does on each of its threads: run(context, thread), with thread = 0 for the caller, then 1, 2, …
/// Returns when no work is left. Several threads call it at once.
struct shared_work {
  void (*run)(void* context, int thread) noexcept;
  void* context;
};

class thread_pool {
 public:
  using nanoseconds = help_budget::nanoseconds;

  /// How long a call took.
  struct times {
    nanoseconds total;
    nanoseconds own_work;  ///< of that, the caller's part of the work: without calling helpers and waiting for them
  };

  /// Starts a thread that calls pool.serve(). False if there is none.
  using thread_starter = bool (*)(thread_pool& pool) noexcept;

  explicit thread_pool(thread_starter start) : start_thread_(start) {}
  thread_pool(const thread_pool&) = delete;
  thread_pool& operator=(const thread_pool&) = delete;

  [[nodiscard]] static nanoseconds now() noexcept;

  /// The pool of this process. Null if there is no memory for one.
  static thread_pool* of_this_process() noexcept;

  /// Runs the work on the calling thread and on up to `helpers` others, all in the caller's floating-point
  /// environment. Returns when all that have started it have returned from it.
  times run(int helpers, const shared_work& work) noexcept;

  /// Of the calls that use this pool.
  [[nodiscard]] help_budget& budget() noexcept { return budget_; }

  /// The loop of a helper.
  [[noreturn]] void serve() noexcept;

 private:
  struct job;

  void publish(job& each);
  void withdraw(const job& each);
  void wait_for_helpers(job& each);
  void call_next_helper(std::unique_lock<std::mutex>& lock);
  void wait_for_job(std::unique_lock<std::mutex>& lock);

  const thread_starter start_thread_;
  help_budget budget_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable wake_;
  job* jobs_ = nullptr;                // that want helpers
  std::atomic<bool> has_jobs_{false};  // for helpers that poll
  int threads_ = 0, polling_ = 0, sleeping_ = 0;
  nanoseconds no_start_until_ = 0;
};

}  // namespace exactdot::inline v0_3::engine

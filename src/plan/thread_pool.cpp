// The pool of helpers; see thread_pool.hpp. The mutex is held for some tens of nanoseconds, or while a thread
// starts.
//
// A caller wakes one helper, each helper the next: waking takes microseconds, and the caller has work to do.
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include <cfenv>
#include <chrono>
#include <new>
#include <plan/thread_pool.hpp>
#include <system_error>
#include <thread>

namespace exactdot::inline v0_3::engine {
namespace {

using nanoseconds = thread_pool::nanoseconds;

/// How long an idle helper polls for the next call before it sleeps, and a caller for the end of its last helper.
constexpr nanoseconds polling_time = 20'000;
/// Time between a failed start of a thread and the next attempt.
constexpr nanoseconds time_between_starts = 1'000'000'000;

void pause() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Polls until is_done() or `polling_time` has passed.
template <class Condition>
bool poll(Condition is_done) noexcept {
  for (const nanoseconds deadline = thread_pool::now() + polling_time; !is_done();) {
    if (thread_pool::now() > deadline) return false;
    for (int i = 0; i < 16; ++i) pause();
  }
  return true;
}

/// Keeps the shared library that holds this code, if it is in one, from being unloaded while helpers run it.
void keep_loaded() noexcept {
  Dl_info info;
  static const char address_in_library = 0;
  if (dladdr(&address_in_library, &info) == 0 || info.dli_fname == nullptr) return;
  (void)dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
}

/// Blocks the signals that are sent to a process, not those that an instruction causes, until it is destroyed. So
/// the program's handlers run on the program's threads: a new thread inherits the mask.
class signals_blocked {
 public:
  signals_blocked() noexcept {
    sigset_t blocked;
    sigfillset(&blocked);
    for (const int caused : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS})
      sigdelset(&blocked, caused);
    pthread_sigmask(SIG_SETMASK, &blocked, &before_);
  }
  ~signals_blocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  signals_blocked(const signals_blocked&) = delete;
  signals_blocked& operator=(const signals_blocked&) = delete;

 private:
  sigset_t before_;
};

bool start_thread(thread_pool& pool) noexcept {
  const signals_blocked no_signals;
  try {
    std::thread([&pool] {
      const sched_param priority{};
      (void)sched_setscheduler(0, SCHED_BATCH, &priority);  // a helper that wakes up interrupts no running thread
      pool.serve();
    }).detach();
    return true;
  } catch (const std::exception&) {  // no thread, no stack or no memory
    return false;
  }
}

/// Never destroyed: its helpers run until the process ends.
std::atomic<thread_pool*> process_pool{nullptr};

/// A forked child has none of its parent's threads, and another thread may have held the mutex.
[[maybe_unused]] const int fork_handler =
    pthread_atfork(nullptr, nullptr, [] { process_pool.store(nullptr, std::memory_order_relaxed); });

}  // namespace

nanoseconds thread_pool::now() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

thread_pool* thread_pool::of_this_process() noexcept {
  thread_pool* pool = process_pool.load(std::memory_order_acquire);
  if (pool != nullptr) return pool;
  auto* const created = new (std::nothrow) thread_pool(start_thread);
  if (created == nullptr) return nullptr;
  keep_loaded();
  if (process_pool.compare_exchange_strong(pool, created, std::memory_order_acq_rel)) return created;
  delete created;
  return pool;
}

struct thread_pool::job {
  shared_work work;
  int max_helpers;
  std::fenv_t environment = {};
  int started = 0;
  std::atomic<int> running{0};
  std::condition_variable finished = {};
  job* next = nullptr;
};

thread_pool::times thread_pool::run(int helpers, const shared_work& work) noexcept {
  const nanoseconds start = now();
  job call{work, helpers};
  std::fegetenv(&call.environment);
  publish(call);
  const nanoseconds own_start = now();
  work.run(work.context, 0);
  const nanoseconds own_end = now();
  withdraw(call);
  wait_for_helpers(call);
  return {now() - start, own_end - own_start};
}

void thread_pool::publish(job& each) {
  std::unique_lock lock(mutex_);
  each.next = jobs_;
  jobs_ = &each;
  has_jobs_.store(true, std::memory_order_relaxed);
  call_next_helper(lock);
}

/// From here on no helper starts the job.
void thread_pool::withdraw(const job& each) {
  const std::lock_guard lock(mutex_);
  for (job** link = &jobs_; *link != nullptr; link = &(*link)->next) {
    if (*link != &each) continue;
    *link = each.next;
    break;
  }
  has_jobs_.store(jobs_ != nullptr, std::memory_order_relaxed);
}

/// Polls first: a helper normally needs microseconds for its last share. After the lock no helper uses the job.
void thread_pool::wait_for_helpers(job& each) {
  const auto is_finished = [&] { return each.running.load(std::memory_order_relaxed) == 0; };
  (void)poll(is_finished);
  std::unique_lock lock(mutex_);
  each.finished.wait(lock, is_finished);
}

/// Wakes or starts one helper if a job wants one and none is on its way. Releases the lock.
void thread_pool::call_next_helper(std::unique_lock<std::mutex>& lock) {
  const bool wakes = jobs_ != nullptr && polling_ == 0 && sleeping_ > 0;
  const bool starts = jobs_ != nullptr && polling_ == 0 && sleeping_ == 0 && threads_ < jobs_->max_helpers;
  if (starts && now() >= no_start_until_) {
    ++threads_;
    if (!start_thread_(*this)) {
      --threads_;
      no_start_until_ = now() + time_between_starts;
    }
  }
  lock.unlock();
  if (wakes) wake_.notify_one();
}

void thread_pool::wait_for_job(std::unique_lock<std::mutex>& lock) {
  while (jobs_ == nullptr) {
    ++polling_;
    lock.unlock();
    const bool found = poll([&] { return has_jobs_.load(std::memory_order_relaxed); });
    lock.lock();
    --polling_;
    if (found || jobs_ != nullptr) continue;
    ++sleeping_;
    wake_.wait(lock);
    --sleeping_;
  }
}

void thread_pool::serve() noexcept {
  std::unique_lock lock(mutex_);
  for (;;) {
    wait_for_job(lock);
    job& joined = *jobs_;
    const int thread = ++joined.started;
    joined.running.fetch_add(1, std::memory_order_relaxed);
    if (thread == joined.max_helpers) {
      jobs_ = joined.next;
      has_jobs_.store(jobs_ != nullptr, std::memory_order_relaxed);
    }
    call_next_helper(lock);
    std::fesetenv(&joined.environment);
    joined.work.run(joined.work.context, thread);
    lock.lock();
    if (joined.running.fetch_sub(1, std::memory_order_relaxed) == 1) joined.finished.notify_one();
  }
}

}  // namespace exactdot::inline v0_3::engine

// Shares a range among CPU threads. No result depends on which thread takes what.
//
// Threads take shares one after the other, so one that starts late, or is slow, takes fewer. An exception must not
// leave a helper: what runs in several threads is noexcept.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exactdot/core/config.hpp>
#include <exactdot/options.hpp>
#include <plan/thread_pool.hpp>

namespace exactdot::inline v0_3::engine {

/// How often a computation polls its monitor.
inline constexpr std::size_t elements_per_poll = std::size_t{1} << 20;
/// The least number of elements that are worth taking at a time: some microseconds of work.
inline constexpr std::size_t min_share = std::size_t{1} << 14;
/// Into how many shares a call is divided, per thread: what its last share makes the others wait is small.
inline constexpr std::size_t shares_per_thread = 32;

/// The shares of [0, n), in order. Their borders are multiples of `grain`.
class shares {
 public:
  shares(std::size_t n, std::size_t grain, int threads) : n_(n) {
    const std::size_t grains = n / grain + (n % grain != 0);
    const std::size_t count = threads == 1 ? 1 : shares_per_thread * static_cast<std::size_t>(threads);
    size_ = grains / count < 1 ? grain : (grains / count + (grains % count != 0)) * grain;
    count_ = n / size_ + (n % size_ != 0);
  }

  /// The next share. False if none is left.
  bool take(std::size_t& start, std::size_t& count) noexcept {
    const std::size_t index = next_.fetch_add(1, std::memory_order_relaxed);
    if (index >= count_) return false;
    start = index * size_;
    count = std::min(size_, n_ - start);
    return true;
  }

 private:
  std::size_t n_, size_, count_;
  alignas(64) std::atomic<std::size_t> next_{0};  // by itself in a cache line
};

/// A call on several threads: what each of them runs.
template <class Work>
struct shared_call {
  shares left;
  Work& work;
  std::size_t own_elements = 0;  // of the caller

  static void run(void* context, int thread) noexcept {
    auto& call = *static_cast<shared_call*>(context);
    for (std::size_t start = 0, count = 0; call.left.take(start, count);) {
      call.work(start, count, thread);
      if (thread == 0) call.own_elements += count;
    }
  }
};

/// Calls work(start, count, thread) for the shares of [0, n), whose borders are multiples of `grain`, on the
/// calling thread and on up to threads - 1 helpers; not at once for the same `thread` < threads. `work` must not
/// throw.
template <class Work>
void for_shares(std::size_t n, std::size_t grain, int threads, Work work) noexcept {
  thread_pool* const pool = threads > 1 ? thread_pool::of_this_process() : nullptr;
  if (pool == nullptr) return work(std::size_t{0}, n, 0);
  if (!pool->budget().allows_helpers()) {
    const auto start = thread_pool::now();
    work(std::size_t{0}, n, 0);
    return pool->budget().record_alone(thread_pool::now() - start);
  }
  shared_call<Work> call{{n, grain, threads}, work};
  const thread_pool::times took = pool->run(threads - 1, {shared_call<Work>::run, &call});
  if (call.own_elements == 0) return;
  // in integers: the caller's floating-point environment may trap, and keeps its flags
  const auto work_of_all = static_cast<core::uint128>(took.own_work) * n;
  pool->budget().record_helped(took.total, static_cast<std::int64_t>(work_of_all / call.own_elements));
}

/// Calls step(start, count) over [start, start + count) in slices of at most `slice` elements. Polls the monitor,
/// if there is one, before each slice, and reports progress to it.
template <class Step>
void with_progress(std::size_t start, std::size_t count, std::size_t slice, monitor* monitor, Step step) {
  if (monitor != nullptr) slice = std::min(slice, elements_per_poll);
  for (std::size_t done = 0; done < count;) {
    if (monitor != nullptr && monitor->cancel.load(std::memory_order_relaxed)) return;
    const std::size_t length = std::min(count - done, slice);
    step(start + done, length);
    done += length;
    if (monitor != nullptr) monitor->done.fetch_add(length, std::memory_order_relaxed);
  }
}

}  // namespace exactdot::inline v0_3::engine

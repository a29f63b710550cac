// Decides from the losses so far whether a call gets helpers: on a busy machine they can cost more than they save.
//
// A call that took longer with helpers than it would have taken alone has made a loss. When losses, less gains,
// exceed a small allowance, calls run alone for eight times as long as was lost. So helpers cost at most 1/8 of the
// time that calls take alone, and the allowance, whatever the scheduler does.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace exactdot::inline v0_3::engine {

/// Several threads may use it at once: a lost update changes a decision by little, and never a result.
class help_budget {
 public:
  using nanoseconds = std::int64_t;

  /// Losses that do not matter: a sleeping helper, woken in vain, polls for the next call.
  static constexpr nanoseconds allowance = 20'000;
  static constexpr nanoseconds alone_per_loss = 8;

  [[nodiscard]] bool allows_helpers() const noexcept { return alone_.load(std::memory_order_relaxed) <= 0; }

  /// A call without helpers took `time`.
  void record_alone(nanoseconds time) noexcept { alone_.fetch_sub(time, std::memory_order_relaxed); }

  /// A call with helpers took `time`; alone it would have taken `time_alone`.
  void record_helped(nanoseconds time, nanoseconds time_alone) noexcept {
    const nanoseconds lost = std::max<nanoseconds>(0, loss_.load(std::memory_order_relaxed) + time - time_alone);
    if (lost > allowance) alone_.store(alone_per_loss * lost, std::memory_order_relaxed);
    loss_.store(lost > allowance ? 0 : lost, std::memory_order_relaxed);
  }

 private:
  std::atomic<nanoseconds> loss_{0};   // not yet paid for
  std::atomic<nanoseconds> alone_{0};  // for how long calls are to run without helpers
};

}  // namespace exactdot::inline v0_3::engine

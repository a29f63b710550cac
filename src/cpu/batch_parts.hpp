// What the ways to compute a batch share: where results go, progress, a reducer for each thread.
#pragma once

#include <atomic>
#include <plan/batch.hpp>
#include <plan/threads.hpp>
#include <vector>

namespace exactdot::cpu_engine {

using engine::batch;
using engine::line;

/// The results of a batch as they are found, by several threads. Keeps the lowest index of one that its type does
/// not hold.
class result_sink {
 public:
  result_sink(const batch& of, std::uint64_t* held, bool stores) : of_(of), held_(held), stores_(stores) {}

  void take(std::size_t index, char* to, const core::outcome& found) noexcept {
    if (found.overflows) {
      std::size_t lowest = overflow_.load();
      while (index < lowest && !overflow_.compare_exchange_weak(lowest, index)) {
      }
    }
    if (held_ != nullptr) held_[index] = found.word;
    if (stores_) of_.store(to, found.word);
  }
  [[nodiscard]] std::size_t lowest_overflow() const { return overflow_; }

 private:
  const batch& of_;
  std::uint64_t* held_;
  bool stores_;
  std::atomic<std::size_t> overflow_{~std::size_t{0}};
};

/// Counts what a thread has done, and tells from time to time whether to go on.
class progress {
 public:
  explicit progress(monitor* monitor) : monitor_(monitor) {}
  ~progress() { report(); }

  /// After n more elements.
  bool goes_on(std::size_t n) noexcept {
    if (monitor_ == nullptr) return true;
    done_ += n;
    if (done_ < engine::elements_per_poll) return true;
    report();
    return !monitor_->cancel.load(std::memory_order_relaxed);
  }

 private:
  void report() noexcept {
    if (monitor_ != nullptr) monitor_->done.fetch_add(done_, std::memory_order_relaxed);
    done_ = 0;
  }

  monitor* monitor_;
  std::size_t done_ = 0;
};

/// A reducer for each thread.
template <class Reducer>
std::vector<Reducer> reducers_of(const batch& of, int threads) {
  std::vector<Reducer> reducers;
  reducers.reserve(static_cast<std::size_t>(threads));
  for (int i = 0; i < threads; ++i) reducers.emplace_back(of);
  return reducers;
}

/// Computes the columns of a matrix, or short rows, in panels.
void reduce_panels(const batch& of, monitor* monitor, result_sink& sink);
/// Computes columns in transposed panels.
void reduce_columns(const batch& of, monitor* monitor, result_sink& sink);

}  // namespace exactdot::cpu_engine

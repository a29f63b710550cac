// What the ways to compute a batch share: where results go, progress, a reducer for each thread.
#pragma once

#include <atomic>
#include <cpu/line_reducer.hpp>
#include <cstring>
#include <plan/batch.hpp>
#include <plan/threads.hpp>
#include <span>
#include <vector>

namespace exactdot::inline v0_3::cpu_engine {

using engine::batch;
using engine::line;

/// The results of a batch as they are found, by several threads. Keeps the lowest index of one that its type does
/// not hold.
class result_sink {
 public:
  /// held: keeps the results of all indices, or null. is_repeated: the elements have been read and counted before.
  result_sink(const batch& of, std::uint64_t* held, bool stores, bool is_repeated)
      : of_(of), held_(held), stores_(stores), is_repeated_(is_repeated) {}

  void take(std::size_t index, char* to, const core::outcome& found) noexcept {
    if (found.overflows) {
      const std::size_t of_caller = of_.index_of(index);
      std::size_t lowest = overflow_.load();
      while (of_caller < lowest && !overflow_.compare_exchange_weak(lowest, of_caller)) {
      }
    }
    if (held_ != nullptr) held_[index] = found.word;
    if (stores_) of_.store(to, found.word);
  }
  /// Results `index` to index + count, at most max_decided, whose places are `step` bytes apart: decide(char* to)
  /// stores them one after the other and returns whether some are open, which is_open tells.
  template <class Decide>
  bool take_decided(std::size_t index, char* to, std::ptrdiff_t step, std::size_t count, const bool* is_open,
                    Decide decide) noexcept {
    const std::size_t size = size_of(of_.each.result_type);
    if (stores_plainly() && step == static_cast<std::ptrdiff_t>(size)) return decide(to);
    char results[max_decided * sizeof(std::uint64_t)];
    const bool any_open = decide(results);
    for (std::size_t i = 0; i < count; ++i, to += step) {
      std::uint64_t word = 0;
      std::memcpy(&word, results + i * size, size);  // the low bytes come first
      if (!is_open[i]) take(index + i, to, {word});
    }
    return any_open;
  }
  static constexpr std::size_t max_decided = 1024;
  /// Whether results are stored as they are, and nothing else is done with them.
  [[nodiscard]] bool stores_plainly() const { return held_ == nullptr && stores_ && !of_.out_swapped; }
  /// The sums of n elements, for a batch of states.
  void take_sums(char* to, std::size_t n, const line_sums& sums) const noexcept {
    engine::add_to_state(*of_.states, n, sums.layout, sums.words, reinterpret_cast<std::int64_t*>(to));
  }
  /// The sums of no elements.
  void take_no_sums(char* to) const noexcept {
    std::int64_t words[2 * core::max_state_words] = {};
    take_sums(to, 0, {of_.each.layout(), words});
  }
  [[nodiscard]] std::size_t lowest_overflow() const { return overflow_; }
  static constexpr std::size_t no_overflow = ~std::size_t{0};
  [[nodiscard]] bool counts_elements() const { return !is_repeated_; }
  [[nodiscard]] bool stores() const { return stores_; }

 private:
  const batch& of_;
  std::uint64_t* held_;
  bool stores_, is_repeated_;
  std::atomic<std::size_t> overflow_{no_overflow};
};

/// Whether a call should end.
inline bool is_cancelled(const batch& of) {
  return of.monitor != nullptr && of.monitor->cancel.load(std::memory_order_relaxed);
}

/// The line `index` places after another one along the last axis.
inline line line_after(const batch& of, const line& first, std::size_t index) {
  const engine::shared_axis& axis = of.results.back();
  const auto moved = [&](const void* from, std::ptrdiff_t step) {
    return static_cast<const char*>(from) + static_cast<std::ptrdiff_t>(index) * step;
  };
  return {moved(first.a, axis.a), moved(first.b, axis.b), first.n,
          first.out + static_cast<std::ptrdiff_t>(index) * axis.out};
}

/// Reports what a thread has done in a share, and tells from time to time whether to go on.
class progress {
 public:
  /// counts: false in a second pass over the same elements.
  progress(const batch& of, bool counts) : of_(of), counts_(counts) {}
  ~progress() { report(); }

  /// After n more elements, of one or more results.
  bool goes_on(std::size_t n) noexcept {
    constexpr std::size_t cost_of_result = 256;  // in elements, where it is greatest
    if (of_.monitor == nullptr) return true;
    done_ += n, cost_ += n + cost_of_result;
    if (cost_ < engine::elements_per_poll) return true;
    report();
    return !is_cancelled(of_);
  }

 private:
  void report() noexcept {
    if (of_.monitor != nullptr && counts_) of_.monitor->done.fetch_add(done_, std::memory_order_relaxed);
    done_ = cost_ = 0;
  }

  const batch& of_;
  bool counts_;
  std::size_t done_ = 0, cost_ = 0;
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
void reduce_panels(const batch& of, result_sink& sink);
/// Computes the extrema of the columns of a matrix, in panels.
void reduce_extrema(const batch& of, result_sink& sink);
/// Computes the sums of columns of 64-bit integers, in panels.
void reduce_words(const batch& of, result_sink& sink);
/// Computes columns in transposed panels.
void reduce_columns(const batch& of, result_sink& sink);
/// Computes several columns of groups by their rows. open: segment_done in all of them; whether one is left open.
bool reduce_rows_of_groups(const batch& of, result_sink& sink, std::span<unsigned char> open);
/// Computes groups whose elements lie anywhere.
void reduce_groups(const batch& of, result_sink& sink);
/// Whether most segments are so short that a call for each would cost more than their elements.
bool are_short_segments(const batch& of);
/// Computes short segments, many at a time. open[i] = what is left to do of segment i.
void reduce_short_segments(const batch& of, result_sink& sink, std::span<unsigned char> open);
/// Stores the results of groups that are no vectors of the batch, having no elements.
void store_empty_groups(const batch& of);

}  // namespace exactdot::inline v0_3::cpu_engine

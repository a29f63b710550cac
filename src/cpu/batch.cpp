// Shares the results of a batch among threads: a few long ones one after the other, each by all threads; the others
// in shares, a thread for each, and the columns of a matrix in panels.
#include <algorithm>
#include <atomic>
#include <cpu/batch.hpp>
#include <cpu/line_reducer.hpp>
#include <cpu/panel_reducer.hpp>
#include <cpu/panel_sums.hpp>
#include <cpu/reduce.hpp>
#include <plan/thread_count.hpp>
#include <plan/threads.hpp>
#include <string>

namespace exactdot::cpu_engine {
namespace {

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

/// Whether all threads together should compute a result of n elements.
bool is_long(const batch& of, std::size_t n) {
  return of.threads > 1 && n >= 2 * engine::elements_per_thread &&
         n > of.elements / (4 * static_cast<std::size_t>(of.threads));
}

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

/// The panels of a batch: up to `width` neighbouring results along its last axis.
class panels {
 public:
  panels(const batch& of, std::size_t width)
      : of_(of), width_(width), n_(of.results.back().n), in_row_(n_ / width + (n_ % width != 0)) {}

  [[nodiscard]] std::size_t count() const { return of_.count / n_ * in_row_; }
  /// The index of the first result of a panel, and how many it has.
  [[nodiscard]] std::size_t first(std::size_t panel) const {
    return panel / in_row_ * n_ + panel % in_row_ * width_;
  }
  [[nodiscard]] std::size_t size(std::size_t panel) const {
    return std::min(width_, n_ - panel % in_row_ * width_);
  }

 private:
  const batch& of_;
  std::size_t width_, n_, in_row_;
};

/// The line `index` places after another one along the last axis.
line line_after(const batch& of, const line& first, std::size_t index) {
  const engine::shared_axis& axis = of.results.back();
  const auto moved = [&](const void* from, std::ptrdiff_t step) {
    return static_cast<const char*>(from) + static_cast<std::ptrdiff_t>(index) * step;
  };
  return {moved(first.a, axis.a), moved(first.b, axis.b), first.n,
          first.out + static_cast<std::ptrdiff_t>(index) * axis.out};
}

/// Calls work(panel, reducer) for all panels, on all threads, until the monitor cancels.
template <class Reducer, class Work>
void for_panels(const batch& of, const panels& all, monitor* monitor, Work work) {
  const int threads = static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(of.threads), all.count()));
  auto reducers = reducers_of<Reducer>(of, threads);
  const std::size_t grain = std::max<std::size_t>(engine::min_share / (all.size(0) * of.each.n + 1), 1);
  engine::for_shares(all.count(), grain, threads, [&](std::size_t start, std::size_t count, int thread) noexcept {
    progress progress(monitor);
    for (std::size_t i = start; i < start + count; ++i) {
      work(i, reducers[static_cast<std::size_t>(thread)]);
      if (!progress.goes_on(all.size(i) * of.each.n)) return;
    }
  });
}

/// Columns from transposed panels.
void reduce_columns(const batch& of, monitor* monitor, result_sink& sink) {
  const panels all(of, panel_reducer::width_of(of));
  for_panels<panel_reducer>(of, all, monitor, [&](std::size_t i, panel_reducer& reducer) {
    core::outcome found[panel_reducer::widest];
    bool wanted[panel_reducer::widest];
    std::fill_n(wanted, all.size(i), true);
    const line first = of.line_at(all.first(i));
    reducer.reduce(first, all.size(i), wanted, found);
    for (std::size_t k = 0; k < all.size(i); ++k)
      sink.take(all.first(i) + k, line_after(of, first, k).out, found[k]);
  });
}

/// Level 1 for panels, and what computes the results that it leaves open.
class two_levels {
 public:
  explicit two_levels(const batch& of) : of_(of), sums_(of), are_columns_(panel_reducer::suits(of)) {
    if (are_columns_) {
      columns_.emplace(of);
    } else {
      lines_.emplace(of);
    }
  }

  void reduce(std::size_t index, std::size_t width, result_sink& sink) noexcept {
    const line first = of_.line_at(index);
    core::decision found[panel_sums::widest];
    sums_.reduce(first, width, found);
    for (std::size_t k = 0; k < width; ++k) {
      if (found[k].certain) sink.take(index + k, line_after(of_, first, k).out, {found[k].word});
    }
    const std::size_t step = are_columns_ ? panel_reducer::width_of(of_) : 1;
    for (std::size_t k = 0; k < width; k += step) {
      const std::size_t count = std::min(step, width - k);
      const auto is_open = [](const core::decision& each) { return !each.certain; };
      if (std::any_of(found + k, found + k + count, is_open))
        finish(index + k, line_after(of_, first, k), found + k, count, sink);
    }
  }

 private:
  /// The open ones of `count` results.
  void finish(std::size_t index, const line& first, const core::decision* found, std::size_t count,
              result_sink& sink) noexcept {
    if (!are_columns_) return sink.take(index, first.out, lines_->reduce(first));
    bool wanted[panel_reducer::widest];
    core::outcome outcomes[panel_reducer::widest];
    for (std::size_t k = 0; k < count; ++k) wanted[k] = !found[k].certain;
    columns_->reduce(first, count, wanted, outcomes);
    for (std::size_t k = 0; k < count; ++k) {
      if (wanted[k]) sink.take(index + k, line_after(of_, first, k).out, outcomes[k]);
    }
  }

  const batch& of_;
  panel_sums sums_;
  bool are_columns_;
  std::optional<panel_reducer> columns_;
  std::optional<line_reducer> lines_;
};

/// Columns and short rows.
void reduce_panels(const batch& of, monitor* monitor, result_sink& sink) {
  const panels all(of, panel_sums::width_of(of));
  for_panels<two_levels>(of, all, monitor, [&](std::size_t i, two_levels& reducer) {
    reducer.reduce(all.first(i), all.size(i), sink);
  });
}

/// The plan of one long result.
engine::plan plan_of(const batch& of, const line& line, monitor* monitor) {
  engine::plan one = of.each;
  one.a.data = line.a, one.b.data = line.b, one.n = line.n;
  one.threads = of.threads;
  one.monitor = monitor;
  return one;
}

void reduce_lines(const batch& of, monitor* monitor, result_sink& sink) {
  bool any_short = false;
  for (std::size_t i = 0; i < of.count; ++i) {
    if (of.is_grid() && !is_long(of, of.each.n)) {
      any_short = true;
      break;
    }
    const line line = of.line_at(i);
    if (!is_long(of, line.n)) {
      any_short = true;
      continue;
    }
    try {
      sink.take(i, line.out, {reduce(plan_of(of, line, monitor))});
    } catch (const error& failure) {
      if (failure.code() != errc::overflow) throw;
      sink.take(i, line.out, {0, true});
    }
  }
  if (!any_short) return;
  auto reducers = reducers_of<line_reducer>(of, of.threads);
  const std::size_t mean = std::max<std::size_t>(of.elements / of.count, 1);
  const std::size_t grain = std::max<std::size_t>(engine::min_share / mean, 1);
  engine::for_shares(of.count, grain, of.threads, [&](std::size_t start, std::size_t count, int thread) noexcept {
    progress progress(monitor);
    line_reducer& reducer = reducers[static_cast<std::size_t>(thread)];
    for (std::size_t i = start; i < start + count; ++i) {
      const line line = of.line_at(i);
      if (is_long(of, line.n)) continue;
      sink.take(i, line.out, reducer.reduce(line));
      if (!progress.goes_on(line.n)) return;
    }
  });
}

/// One pass over all elements. Throws errc::overflow.
void compute(const batch& of, monitor* monitor, std::uint64_t* held, bool stores) {
  result_sink sink(of, held, stores);
  if (panel_sums::suits(of)) {
    reduce_panels(of, monitor, sink);
  } else if (panel_reducer::suits(of)) {
    reduce_columns(of, monitor, sink);
  } else {
    reduce_lines(of, monitor, sink);
  }
  if (monitor != nullptr && monitor->cancel.load()) {
    engine::throw_error(errc::cancelled, of.each.caller, "cancelled");
  }
  if (sink.lowest_overflow() >= of.count) return;
  engine::throw_error(errc::overflow, of.each.caller,
                      "result " + std::to_string(sink.lowest_overflow()) + " does not fit into " +
                          std::string(name_of(of.each.result_type)) + "; use a floating-point result type");
}

}  // namespace

void reduce(const batch& of, monitor* monitor) {
  if (of.count == 0) return;
  if (!of.may_overflow()) return compute(of, monitor, nullptr, true);
  // Nothing is stored before all results are known to fit. They are kept if they take little memory, beside the
  // input; otherwise they are computed twice.
  constexpr std::size_t small = std::size_t{1} << 20;
  const std::size_t input_bytes =
      of.elements / 16 < ~std::size_t{0} / 16 ? of.elements * size_of(of.each.a.type) : ~std::size_t{0};
  if (of.count > std::max(small, input_bytes / 16) / sizeof(std::uint64_t)) {
    compute(of, monitor, nullptr, false);
    return compute(of, nullptr, nullptr, true);
  }
  std::vector<std::uint64_t> held(of.count);
  compute(of, monitor, held.data(), false);
  for (std::size_t i = 0; i < of.count; ++i) of.store(of.line_at(i).out, held[i]);
}

}  // namespace exactdot::cpu_engine

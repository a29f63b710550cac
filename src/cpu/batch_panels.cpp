// Batches in panels of neighbouring results: the columns of a matrix, and short rows.
#include <algorithm>
#include <cpu/batch_parts.hpp>
#include <cpu/line_reducer.hpp>
#include <cpu/panel_extrema.hpp>
#include <cpu/panel_reducer.hpp>
#include <cpu/panel_sums.hpp>
#include <cpu/panel_words.hpp>
#include <cpu/shared_rows.hpp>
#include <cstring>
#include <optional>

namespace exactdot::inline v0_3::cpu_engine {
namespace {

/// A thread takes so many rows of a panel at a time.
constexpr std::size_t rows_per_share = 1024;

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

/// Calls work(panel, reducer) for all panels, on all threads, until the monitor cancels.
template <class Reducer, class Work>
void for_panels(const batch& of, const panels& panels, const result_sink& sink, Work work) {
  const int threads = static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(of.threads), panels.count()));
  auto reducers = reducers_of<Reducer>(of, threads);
  const std::size_t grain = std::max<std::size_t>(engine::min_share / (panels.size(0) * of.each.n + 1), 1);
  engine::for_shares(panels.count(), grain, threads,
                     [&](std::size_t start, std::size_t count, int thread) noexcept {
                       progress progress(of, sink.counts_elements());
                       for (std::size_t i = start; i < start + count && !is_cancelled(of); ++i) {
                         work(i, reducers[static_cast<std::size_t>(thread)]);
                         if (!progress.goes_on(panels.size(i) * of.each.n)) return;
                       }
                     });
}

/// Level 1 for panels, and what computes the results that it leaves open.
class two_levels {
 public:
  static_assert(panel_sums::widest <= result_sink::max_decided &&
                shared_rows::max_rows <= result_sink::max_decided);

  explicit two_levels(const batch& of) : of_(of), sums_(of), are_columns_(panel_reducer::suits(of)) {
    if (!are_columns_ && of.each.contiguous && shared_rows::suits(of)) rows_.emplace(of);
    if (sums_.is_plain() || rows_)
      compensated_.emplace(of, false, std::min(panel_sums::width_of(of), panel_reducer::widest));
    if (are_columns_) {
      columns_.emplace(of);
    } else {
      lines_.emplace(of);
    }
  }

  void reduce(std::size_t index, std::size_t width, result_sink& sink) noexcept {
    const line first = of_.line_at(index);
    if (rows_ && rows_->takes_next()) return reduce_rows(index, first, width, sink);
    if (skipped_ != 0) {  // panels of integers that are no doubles
      --skipped_;
      bool is_open[panel_sums::widest];
      std::fill_n(is_open, width, true);
      return finish_open_ones(index, first, is_open, width, false, sink);
    }
    sums_.start(first, width);
    for (std::size_t done = 0; done < of_.each.n && !is_cancelled(of_); done += rows_per_share) {
      sums_.add(done, std::min(rows_per_share, of_.each.n - done));
    }
    finish_panel(index, width, {&sums_, 1}, sink);
    if (!sums_.are_doubles()) skipped_ = 15;
  }

  /// The results of a panel from its sums, in one share or several.
  void finish_panel(std::size_t index, std::size_t width, std::span<panel_sums> shares,
                    result_sink& sink) noexcept {
    const line first = of_.line_at(index);
    bool is_open[panel_sums::widest] = {};
    const auto decide = [&](char* to) { return panel_sums::finish(shares, to, is_open); };
    if (sink.take_decided(index, first.out, of_.results.back().out, width, is_open, decide))
      finish_open_ones(index, first, is_open, width, sums_.is_plain(), sink);
  }

 private:
  /// A panel of rows that share a vector.
  void reduce_rows(std::size_t index, const line& first, std::size_t width, result_sink& sink) noexcept {
    if (rows_->reduce(index, first, width, nullptr, sink)) return;
    bool is_open[shared_rows::max_rows];
    for (std::size_t i = 0; i < width; ++i) is_open[i] = rows_->is_open(i);
    finish_open_ones(index, first, is_open, width, true, sink);
  }

  /// compensates: whether compensated sums may decide what is open.
  void finish_open_ones(std::size_t index, const line& first, bool* is_open, std::size_t width, bool compensates,
                        result_sink& sink) noexcept {
    const std::size_t step = panel_reducer::widest;
    for (std::size_t k = 0; k < width; k += step) {
      const std::size_t count = std::min(step, width - k);
      if (!any_open(is_open + k, count)) continue;
      const line some = line_after(of_, first, k);
      if (compensates && !are_few_open(is_open + k, count)) compensate(index + k, some, is_open + k, count, sink);
      finish_open(index + k, some, is_open + k, count, sink);
    }
  }

  static bool any_open(const bool* is_open, std::size_t count) noexcept {
    return std::find(is_open, is_open + count, true) != is_open + count;
  }

  /// Whether a call for each open row takes less time than its whole panel again.
  [[nodiscard]] bool are_few_open(const bool* is_open, std::size_t count) const noexcept {
    constexpr std::ptrdiff_t few = 4;
    return !are_columns_ && std::count(is_open, is_open + count, true) <= few;
  }

  /// The open ones of up to panel_reducer::widest results, as far as compensated sums decide them.
  void compensate(std::size_t index, const line& first, bool* is_open, std::size_t count,
                  result_sink& sink) noexcept {
    bool stay_open[panel_reducer::widest] = {};
    char results[panel_reducer::widest * sizeof(std::uint64_t)];
    compensated_->start(first, count);
    for (std::size_t done = 0; done < of_.each.n && !is_cancelled(of_); done += rows_per_share)
      compensated_->add(done, std::min(rows_per_share, of_.each.n - done));
    panel_sums::finish({&*compensated_, 1}, results, stay_open);
    const std::size_t size = size_of(of_.each.result_type);
    for (std::size_t k = 0; k < count; ++k) {
      if (!is_open[k] || stay_open[k]) continue;
      std::uint64_t word = 0;
      std::memcpy(&word, results + k * size, size);  // the low bytes come first
      is_open[k] = false;
      sink.take(index + k, line_after(of_, first, k).out, {word});
    }
  }

  /// The open ones of up to panel_reducer::widest results, each exactly.
  void finish_open(std::size_t index, const line& first, const bool* is_open, std::size_t count,
                   result_sink& sink) noexcept {
    const std::size_t step = are_columns_ ? panel_reducer::width_of(of_) : 1;
    for (std::size_t k = 0; k < count; k += step) {
      const std::size_t some = std::min(step, count - k);
      if (any_open(is_open + k, some)) finish(index + k, line_after(of_, first, k), is_open + k, some, sink);
    }
  }

  /// The open ones of `count` results.
  void finish(std::size_t index, const line& first, const bool* is_open, std::size_t count,
              result_sink& sink) noexcept {
    if (!are_columns_) return sink.take(index, first.out, lines_->reduce(first));
    core::outcome outcomes[panel_reducer::widest];
    columns_->reduce(first, count, is_open, outcomes);
    for (std::size_t k = 0; k < count; ++k) {
      if (is_open[k]) sink.take(index + k, line_after(of_, first, k).out, outcomes[k]);
    }
  }

  const batch& of_;
  panel_sums sums_;
  std::optional<shared_rows> rows_;        // before sums_
  std::optional<panel_sums> compensated_;  // where those are not
  bool are_columns_;
  int skipped_ = 0;  // panels to come
  std::optional<panel_reducer> columns_;
  std::optional<line_reducer> lines_;
};

/// Adds the sums of a panel to the states of its columns.
void take_sums(const batch& of, const line& first, std::size_t columns, panel_reducer& reducer,
               const result_sink& sink) noexcept {
  std::int64_t* const words = reducer.sums_of(first, columns);
  if (is_cancelled(of)) return;
  for (std::size_t k = 0; k < columns; ++k) {
    sink.take_sums(line_after(of, first, k).out, first.n,
                   {of.each.layout(), words + k * reducer.words_of_column()});
  }
}

/// Adds some rows of a panel, until the monitor cancels.
template <class Panel>
void add_rows(const batch& of, std::size_t start, std::size_t count, std::size_t width, Panel& share,
              bool counts) noexcept {
  progress progress(of, counts);
  for (std::size_t done = 0; done < count; done += rows_per_share) {
    const std::size_t rows = std::min(rows_per_share, count - done);
    share.add(start + done, rows);
    if (!progress.goes_on(rows * width)) return;
  }
}

/// A few panels with many rows: the threads share the rows of each.
void reduce_tall_panels(const batch& of, const panels& panels, result_sink& sink) {
  auto shares = reducers_of<panel_sums>(of, of.threads);
  two_levels last(of);
  for (std::size_t i = 0; i < panels.count(); ++i) {
    const line first = of.line_at(panels.first(i));
    for (panel_sums& share : shares) share.start(first, panels.size(i));
    engine::for_shares(of.each.n, rows_per_share, of.threads,
                       [&](std::size_t start, std::size_t count, int thread) noexcept {
                         add_rows(of, start, count, panels.size(i), shares[static_cast<std::size_t>(thread)],
                                  sink.counts_elements());
                       });
    if (is_cancelled(of)) return;
    last.finish_panel(panels.first(i), panels.size(i), shares, sink);
  }
}

/// The results of a panel of extrema from its shares.
void take_extrema(const batch& of, std::size_t index, std::span<panel_extrema> shares, result_sink& sink) noexcept {
  char* const out = of.line_at(index).out;
  const std::ptrdiff_t step = of.results.back().out;
  if (shares.size() == 1 && sink.stores_plainly() && shares[0].store(out, step)) return;
  const std::span<extreme> best = shares[0].found();
  for (panel_extrema& share : shares.subspan(1)) {
    const std::span<const extreme> others = share.found();
    for (std::size_t k = 0; k < best.size(); ++k) {
      if (is_better(others[k], best[k])) best[k] = others[k];
    }
  }
  for (std::size_t k = 0; k < best.size(); ++k)
    sink.take(index + k, out + static_cast<std::ptrdiff_t>(k) * step, {result_of(of.each, best[k])});
}

/// The results of a panel of sums of integers from its shares.
void take_words(const batch& of, std::size_t index, std::span<panel_words> shares, result_sink& sink) noexcept {
  char* out = of.line_at(index).out;
  for (const panel_words& share : shares.subspan(1)) shares[0].add(share);
  bool is_open[result_sink::max_decided] = {};
  const auto decide = [&](char* to) { return shares[0].finish(to, is_open); };
  if (!sink.take_decided(index, out, of.results.back().out, shares[0].width(), is_open, decide)) return;
  for (std::size_t k = 0; k < shares[0].width(); ++k, out += of.results.back().out) {
    if (is_open[k]) sink.take(index + k, out, shares[0].result(k));
  }
}

/// Panels whose rows a Panel adds, or several of them if panels are few and have many rows; take(of, index, shares,
/// sink) gives the results of one.
template <class Panel, class Take>
void reduce_rows_of_panels(const batch& of, result_sink& sink, Take take) {
  const panels panels(of, Panel::width_of(of));
  const bool is_tall = panels.count() < static_cast<std::size_t>(of.threads) && of.each.n >= 2 * rows_per_share;
  if (!is_tall) {
    return for_panels<Panel>(of, panels, sink, [&](std::size_t i, Panel& share) {
      share.start(of.line_at(panels.first(i)), panels.size(i));
      add_rows(of, 0, of.each.n, panels.size(i), share, false);
      if (!is_cancelled(of)) take(of, panels.first(i), std::span(&share, 1), sink);
    });
  }
  auto shares = reducers_of<Panel>(of, of.threads);
  for (std::size_t i = 0; i < panels.count(); ++i) {
    for (Panel& share : shares) share.start(of.line_at(panels.first(i)), panels.size(i));
    engine::for_shares(of.each.n, rows_per_share, of.threads,
                       [&](std::size_t start, std::size_t count, int thread) noexcept {
                         add_rows(of, start, count, panels.size(i), shares[static_cast<std::size_t>(thread)],
                                  sink.counts_elements());
                       });
    if (is_cancelled(of)) return;
    take(of, panels.first(i), std::span(shares), sink);
  }
}

}  // namespace

void reduce_extrema(const batch& of, result_sink& sink) {
  reduce_rows_of_panels<panel_extrema>(of, sink, take_extrema);
}

void reduce_words(const batch& of, result_sink& sink) { reduce_rows_of_panels<panel_words>(of, sink, take_words); }

void reduce_columns(const batch& of, result_sink& sink) {
  const panels panels(of, panel_reducer::width_of(of));
  for_panels<panel_reducer>(of, panels, sink, [&](std::size_t i, panel_reducer& reducer) {
    core::outcome found[panel_reducer::widest];
    bool wanted[panel_reducer::widest];
    std::fill_n(wanted, panels.size(i), true);
    const line first = of.line_at(panels.first(i));
    if (of.states != nullptr) return take_sums(of, first, panels.size(i), reducer, sink);
    reducer.reduce(first, panels.size(i), wanted, found);
    for (std::size_t k = 0; k < panels.size(i); ++k)
      sink.take(panels.first(i) + k, line_after(of, first, k).out, found[k]);
  });
}

void reduce_panels(const batch& of, result_sink& sink) {
  const panels panels(of, panel_sums::width_of(of));
  const bool is_tall = panels.count() < static_cast<std::size_t>(of.threads);
  if (is_tall && of.each.n >= 2 * rows_per_share) return reduce_tall_panels(of, panels, sink);
  for_panels<two_levels>(of, panels, sink, [&](std::size_t i, two_levels& reducer) {
    reducer.reduce(panels.first(i), panels.size(i), sink);
  });
}

}  // namespace exactdot::inline v0_3::cpu_engine

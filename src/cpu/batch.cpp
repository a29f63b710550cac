// Shares the results of a batch among threads: a few long ones one after the other, each by all threads; the others
// in shares, a thread for each, the columns of a matrix in panels, and groups by their keys.
#include <algorithm>
#include <cpu/batch.hpp>
#include <cpu/batch_parts.hpp>
#include <cpu/integer_bounds.hpp>
#include <cpu/levels.hpp>
#include <cpu/line_reducer.hpp>
#include <cpu/panel_extrema.hpp>
#include <cpu/panel_reducer.hpp>
#include <cpu/panel_sums.hpp>
#include <cpu/panel_words.hpp>
#include <cpu/ratios.hpp>
#include <cpu/reduce.hpp>
#include <cpu/run_sums.hpp>
#include <cpu/segment_pass.hpp>
#include <cpu/shared_rows.hpp>
#include <plan/thread_count.hpp>
#include <string>

namespace exactdot::inline v0_3::cpu_engine {
namespace {

/// Whether a result of n elements is computed by itself, by all threads: it would make the others wait, or a
/// monitor.
bool is_long(const batch& of, std::size_t n) {
  if (of.monitor != nullptr && n >= engine::elements_per_poll) return true;
  return of.threads > 1 && n >= 2 * engine::elements_per_thread &&
         n > of.elements / (4 * static_cast<std::size_t>(of.threads));
}

/// The plan of one long result.
engine::plan plan_of(const batch& of, const line& line, monitor* monitor) {
  engine::plan one = of.each;
  one.a.data = line.a, one.b.data = line.b, one.n = line.n;
  one.threads = of.threads;
  one.monitor = monitor;
  return one;
}

/// Adds a long line to what is there, by its exact sum.
void add_long_line(const batch& of, std::size_t index, const line& line, const engine::plan& one,
                   result_sink& sink) {
  const addend old(of, line.out);
  if (suits_integers(one)) return sink.take(index, line.out, sum_in_integers(one).finish(one, line.n, &old));
  state_words words(one.layout());
  add(one, words.data());
  sink.take(index, line.out, old.finish(one.layout(), words.data()));
}

/// Computes a long line by all threads.
void take_long_line(const batch& of, std::size_t index, const line& line, result_sink& sink) {
  const engine::plan one = plan_of(of, line, sink.counts_elements() ? of.monitor : nullptr);
  if (of.states != nullptr && suits_integers(one)) {
    std::int64_t words[2 * integer_line_layout.words()];
    sum_in_integers(one).store(one, words);
    return sink.take_sums(line.out, line.n, {integer_line_layout, words});
  }
  if (of.states != nullptr) {
    state_words words(one.layout(), engine::states_of(one));
    add(one, words.data());
    return sink.take_sums(line.out, line.n, {one.layout(), words.data()});
  }
  if (of.adds_to_results) return add_long_line(of, index, line, one, sink);
  try {
    sink.take(index, line.out, {reduce(one)});
  } catch (const error& failure) {
    if (failure.code() != errc::overflow) throw;
    sink.take(index, line.out, {0, true});
  }
}

void take_line(const batch& of, std::size_t index, const line& line, line_reducer& reducer,
               result_sink& sink) noexcept {
  if (of.states != nullptr) return sink.take_sums(line.out, line.n, reducer.sums_of(line));
  with_addend_at(of, line.out, [&](const addend* more) { sink.take(index, line.out, reducer.reduce(line, more)); });
}

/// `count` rows that share a vector, along the last axis from result i on; `vector`: its converted copy, or null.
void take_rows(const batch& of, std::size_t i, std::size_t count, const void* vector, shared_rows& rows,
               line_reducer& reducer, result_sink& sink) {
  const line first = of.line_at(i);
  const bool are_tried = rows.takes_next();
  if (are_tried && rows.reduce(i, first, count, vector, sink)) return;
  for (std::size_t r = 0; r < count; ++r) {
    if (are_tried && !rows.is_open(r)) continue;
    const line row = line_after(of, first, r);
    const bool knows_sum = are_tried && rows.reads_in_place();
    sink.take(i + r, row.out, knows_sum ? reducer.reduce_open(row, rows.sum_of(r)) : reducer.reduce(row));
  }
}

/// All lines share a vector, or each of `vectors` of them, and none is long. Shares are of rows: each is multiplied
/// with all vectors before the next is read.
void reduce_shared_rows(const batch& of, result_sink& sink) {
  auto reducers = reducers_of<line_reducer>(of, of.threads);
  auto rows = reducers_of<shared_rows>(of, of.threads);
  const std::size_t vectors = shared_rows::vectors_of(of), along = of.results.back().n;
  for (std::size_t next = 0, some = 0; next < vectors && !is_cancelled(of); next += some) {
    some = std::min(vectors - next, shared_rows::max_vectors);
    const converted_vectors converted(of, next, some);
    const std::size_t grain = std::max(engine::min_share / of.each.n / some, shared_rows::rows_of_share);
    engine::for_shares(
        of.count / vectors, grain, of.threads, [&](std::size_t start, std::size_t count, int thread) noexcept {
          progress progress(of, sink.counts_elements());
          const auto index = static_cast<std::size_t>(thread);
          for (std::size_t done = 0, taken = 0; done < count && !is_cancelled(of); done += taken) {
            const std::size_t row = start + done, in_axis = row % along;
            taken = std::min({shared_rows::rows_at_a_time(of), count - done, along - in_axis});
            const std::size_t first = (row - in_axis) * vectors + in_axis;  // result of the first of all vectors
            rows[index].begin(of.line_at(first), taken);
            for (std::size_t v = 0; v < some; ++v) {
              take_rows(of, first + (next + v) * along, taken, converted.at(v), rows[index], reducers[index], sink);
            }
            if (!progress.goes_on(taken * some * of.each.n)) return;
          }
        });
  }
}

/// All vectors are read in runs, and none is long.
void reduce_runs(const batch& of, result_sink& sink) {
  auto reducers = reducers_of<run_sums>(of, of.threads);
  const std::size_t step = run_sums::results_of_share(of);
  engine::for_shares(of.count, step, of.threads, [&](std::size_t start, std::size_t count, int thread) noexcept {
    progress progress(of, sink.counts_elements());
    for (std::size_t done = 0; done < count && !is_cancelled(of); done += step) {
      const std::size_t some = std::min(step, count - done);
      reducers[static_cast<std::size_t>(thread)].reduce(start + done, some, sink);
      if (!progress.goes_on(some * of.each.n)) return;
    }
  });
}

/// open: empty, or for which lines to do what; see segment_pass.hpp.
void reduce_lines(const batch& of, result_sink& sink, std::span<const unsigned char> open = {}) {
  bool any_short = false;
  const auto is_done = [&](std::size_t i) { return !open.empty() && open[i] == segment_done; };
  for (std::size_t i = 0; i < of.count; ++i) {
    if (is_done(i)) continue;
    if (of.is_grid() && !is_long(of, of.each.n)) {
      any_short = true;
      break;
    }
    const line line = of.line_at(i);
    if (!is_long(of, line.n)) {
      any_short = true;
      continue;
    }
    take_long_line(of, i, line, sink);
  }
  if (!any_short) return;
  auto reducers = reducers_of<line_reducer>(of, of.threads);
  const std::size_t mean = std::max<std::size_t>(of.elements / of.count, 1);
  const std::size_t grain = std::max<std::size_t>(engine::min_share / mean, 1);
  engine::for_shares(of.count, grain, of.threads, [&](std::size_t start, std::size_t count, int thread) noexcept {
    progress progress(of, sink.counts_elements());
    line_reducer& reducer = reducers[static_cast<std::size_t>(thread)];
    for (std::size_t i = start; i < start + count; ++i) {
      if (i == start && is_cancelled(of)) return;
      if (is_done(i)) continue;
      const line line = of.line_at(i);
      if (is_long(of, line.n)) continue;
      take_line(of, i, line, reducer, sink);
      if (!progress.goes_on(!open.empty() && open[i] == segment_undecided ? 0 : line.n)) return;
    }
  });
}

/// Vectors without elements: the same result for all.
void fill_with_result_of_nothing(const batch& of, result_sink& sink) {
  const std::uint64_t result = engine::result_of_nothing(of.each);
  progress progress(of, false);
  for (std::size_t i = 0; i < of.count; ++i) {
    char* const to = of.line_at(i).out;
    if (of.states != nullptr) {
      sink.take_no_sums(to);
    } else {
      sink.take(i, to, {result});
    }
    if (!progress.goes_on(0)) return;
  }
}

/// Stores results that were kept.
void store_held(const batch& of, std::span<const std::uint64_t> held) {
  if (of.is_grid()) {
    for (std::size_t i = 0; i < of.count; ++i) of.store(of.line_at(i).out, held[i]);
    return;
  }
  const std::size_t groups = of.groups();
  for (std::size_t column = 0; column < of.column_count; ++column) {
    char* const out = of.column_at(column).out;
    for (std::size_t i = 0; i < groups; ++i) of.store(of.place_of(out, i), held[column * groups + i]);
  }
}

/// One pass over all elements. Throws errc::overflow.
void compute(const batch& of, std::uint64_t* held, bool stores, bool is_repeated = false) {
  result_sink sink(of, held, stores, is_repeated);
  if (of.is_grid() && of.each.n == 0) {
    fill_with_result_of_nothing(of, sink);
  } else if (of.has_keys()) {
    reduce_groups(of, sink);
  } else if (takes_rows(of)) {
    std::vector<unsigned char> open(of.count);
    if (reduce_rows_of_groups(of, sink, open) && !is_cancelled(of)) reduce_lines(of, sink, open);
  } else if (are_short_segments(of)) {
    std::vector<unsigned char> open(of.count);
    reduce_short_segments(of, sink, open);
    if (!is_cancelled(of)) reduce_lines(of, sink, open);
  } else if (panel_words::suits(of)) {
    reduce_words(of, sink);
  } else if (panel_sums::suits(of)) {
    reduce_panels(of, sink);
  } else if (panel_extrema::suits(of)) {
    reduce_extrema(of, sink);
  } else if (panel_reducer::suits(of)) {
    reduce_columns(of, sink);
  } else if (run_sums::suits(of) && !is_long(of, of.each.n)) {
    reduce_runs(of, sink);
  } else if (shared_rows::suits(of) && !is_long(of, of.each.n)) {
    reduce_shared_rows(of, sink);
  } else {
    reduce_lines(of, sink);
  }
  if (is_cancelled(of)) engine::throw_error(errc::cancelled, of.each.caller, "cancelled");
  if (sink.lowest_overflow() == result_sink::no_overflow) {
    if (sink.stores()) store_empty_groups(of);
    return;
  }
  engine::throw_error(errc::overflow, of.each.caller,
                      "result " + std::to_string(sink.lowest_overflow()) + " does not fit into " +
                          std::string(name_of(of.each.result_type)) + "; use a floating-point result type");
}

}  // namespace

void reduce(batch of) {
  if (is_compared_as_float(of.each)) of.each = compared_as_float(of.each);
  if (is_cancelled(of)) engine::throw_error(errc::cancelled, of.each.caller, "cancelled");
  if (of.count == 0) return store_empty_groups(of);
  if (of.each.info().is_ratio) {
    ratios(of);
    return store_empty_groups(of);
  }
  shared_rows::order_axes(of);
  if (!of.may_overflow() || of.out_is_scratch) return compute(of, nullptr, true);
  // Nothing is stored before all results are known to fit. They are kept if they take little memory, beside the
  // input; otherwise they are computed twice, unless a look at the elements tells that they fit.
  constexpr std::size_t small = std::size_t{1} << 20;
  const std::size_t input_bytes =
      of.elements / 16 < ~std::size_t{0} / 16 ? of.elements * size_of(of.each.a.type) : ~std::size_t{0};
  if (of.count > std::max(small, input_bytes / 16) / sizeof(std::uint64_t)) {
    const bool fit = sums_fit(of);
    if (!fit) compute(of, nullptr, false);
    return compute(of, nullptr, true, !fit);
  }
  std::vector<std::uint64_t> held(of.count);
  compute(of, held.data(), false);
  store_held(of, held);
  store_empty_groups(of);
}

}  // namespace exactdot::inline v0_3::cpu_engine

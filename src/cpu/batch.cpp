// Shares the results of a batch among threads: a few long ones one after the other, each by all threads; the others
// in shares, a thread for each, and the columns of a matrix in panels.
#include <algorithm>
#include <cpu/batch.hpp>
#include <cpu/batch_parts.hpp>
#include <cpu/line_reducer.hpp>
#include <cpu/panel_reducer.hpp>
#include <cpu/panel_sums.hpp>
#include <cpu/reduce.hpp>
#include <plan/thread_count.hpp>
#include <string>

namespace exactdot::cpu_engine {
namespace {

/// Whether all threads together should compute a result of n elements.
bool is_long(const batch& of, std::size_t n) {
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

// Implementation of run_sums.hpp.
#include <algorithm>
#include <cpu/inputs.hpp>
#include <cpu/run_sums.hpp>

namespace exactdot::inline v0_3::cpu_engine {
namespace {

/// Up to here prefetching takes more time than it saves.
constexpr std::size_t cached_bytes = std::size_t{1} << 24;

/// Where the element of a vector lies, in bytes after its first one.
std::ptrdiff_t offset_of(const batch& of, std::size_t element) noexcept {
  return engine::address_of(of.each.a, element) - static_cast<const char*>(of.each.a.data);
}

}  // namespace

run_sums::run_sums(const batch& of)
    : of_(of), kernels_(of.each), lines_(of), is_far_(of.elements > cached_bytes / size_of(of.each.carrier)) {}

bool run_sums::suits(const batch& of) {
  const engine::plan& each = of.each;
  if (of.states != nullptr || !of.is_grid() || of.results.empty() || each.n == 0) return false;
  if (each.mode != mode::exact || each.info().inputs != 1 || each.info().is_extremum) return false;
  if (!each.bounded_sum_can_decide || !engine::is_read_in_runs(each.a, each.carrier)) return false;
  return std::abs(of.results.back().a) < std::abs(of.outer_a.front().stride);
}

std::size_t run_sums::results_of_share(const batch& of) {
  return std::clamp<std::size_t>(of.count / (2 * static_cast<std::size_t>(of.threads)), 1, max_results);
}

/// Adds the run of a vector that begins with element `first`; `next` is the one that is read after it.
void run_sums::add_run(std::size_t which, std::size_t first, const char* run, const void* next) noexcept {
  const std::size_t n = of_.each.a.inner, chunk = of_.each.info().needs_squares() ? chunk_of(of_.each) : n;
  for (std::size_t done = 0, count = 0; done < n; done += count) {
    count = std::min(chunk, n - done);
    const char* const x = run + done * size_of(of_.each.carrier);
    partials_[which].add_chunk(of_.each, kernels_, x, x, first + done, count, done + count == n ? next : nullptr);
  }
}

void run_sums::reduce(std::size_t index, std::size_t count, result_sink& sink) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    vectors_[i] = of_.line_at(index + i);
    partials_[i].clear(of_.each);
  }
  const std::size_t n = of_.each.n, inner = of_.each.a.inner;
  const auto at = [&](std::size_t i, std::ptrdiff_t offset) {
    return static_cast<const char*>(vectors_[i].a) + offset;
  };
  std::ptrdiff_t offset = offset_of(of_, 0);
  for (std::size_t first = 0; first < n && !is_cancelled(of_); first += inner) {
    const bool is_last = first + inner >= n;
    const std::ptrdiff_t next = is_last ? 0 : offset_of(of_, first + inner);
    for (std::size_t i = 0; i < count; ++i) {
      if (!partials_[i].wants_elements()) continue;
      const char* const after = i + 1 < count ? at(i + 1, offset) : is_last ? nullptr : at(0, next);
      add_run(i, first, at(i, offset), is_far_ ? after : nullptr);
    }
    offset = next;
  }
  if (is_cancelled(of_)) return;
  for (std::size_t i = 0; i < count; ++i) {
    const core::decision found = partials_[i].finish(of_.each);
    sink.take(index + i, vectors_[i].out, found.certain ? core::outcome{found.word} : lines_.reduce(vectors_[i]));
  }
}

}  // namespace exactdot::inline v0_3::cpu_engine

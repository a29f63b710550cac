// Splits a range of elements among OpenMP threads. No result depends on the split.
//
// An exception must not leave an OpenMP region, and a team that cannot be started would end the process: so what
// runs in a team is noexcept, and the size of a team is bounded.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstddef>
#include <exactdot/options.hpp>
#include <type_traits>

namespace exactdot::cpu_engine {

/// A thread pays for its start with about this many elements' work (measured: docs/performance.md).
inline constexpr std::size_t elements_per_thread = std::size_t{1} << 15;
/// How often a run looks at options.monitor.
inline constexpr std::size_t elements_per_look = std::size_t{1} << 20;

/// At most this many threads are ever used, whatever is asked for: as many as OpenMP allows, and no more than eight
/// for each processor, because a team that cannot be started would end the process.
inline int most_threads(int wanted) { return std::min({wanted, omp_get_thread_limit(), 8 * omp_get_num_procs()}); }

/// How many threads a call uses: as many as pay off, at most options.threads.
inline int threads_for(std::size_t n, const options& options) {
  if (n < 2 * elements_per_thread) return 1;
  const auto wanted =
      static_cast<std::size_t>(most_threads(options.threads > 0 ? options.threads : omp_get_max_threads()));
  return static_cast<int>(std::clamp<std::size_t>(n / elements_per_thread, 1, wanted));
}

/// Calls work(start, count, part) for `threads` parts of [0, n) whose borders are multiples of `grain`, each on a
/// thread of its own. `work` must not throw.
template <class Work>
void for_parts(std::size_t n, std::size_t grain, int threads, Work work) {
  const std::size_t grains = (n + grain - 1) / grain;
  const auto part = [&](int index) {
    const auto border = [&](int i) {
      return std::min(n, grains * static_cast<std::size_t>(i) / static_cast<std::size_t>(threads) * grain);
    };
    work(border(index), border(index + 1) - border(index), index);
  };
  if (threads == 1) return part(0);
#pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (int index = 0; index < threads; ++index) part(index);
}

/// Calls step(start, count) over [start, start + count), in slices with a look at the monitor before each, if there
/// is one.
template <class Step>
void watched(std::size_t start, std::size_t count, monitor* watch, Step step) {
  if (watch == nullptr) return step(start, count);
  for (std::size_t done = 0; done < count && !watch->cancel.load(std::memory_order_relaxed);) {
    const std::size_t slice = std::min(count - done, elements_per_look);
    step(start + done, slice);
    done += slice;
    watch->done.fetch_add(slice, std::memory_order_relaxed);
  }
}

}  // namespace exactdot::cpu_engine

// Divides a range among CPU threads. No result depends on the division.
//
// An exception must not leave an OpenMP region, and a team that cannot be started ends the process: so what runs in
// a team is noexcept, and the size of a team is limited (thread_count.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <exactdot/options.hpp>

namespace exactdot::engine {

/// How often a computation polls its monitor.
inline constexpr std::size_t elements_per_poll = std::size_t{1} << 20;

/// Calls work(start, count, thread) for `threads` ranges of [0, n) whose borders are multiples of `grain`, each on
/// its own thread. `work` must not throw.
template <class Work>
void for_ranges(std::size_t n, std::size_t grain, int threads, Work work) {
  const std::size_t grains = n / grain + (n % grain != 0), parts = static_cast<std::size_t>(threads);
  const auto range = [&](int thread) {
    const auto border = [&](int i) {  // grains·i/parts, without overflow
      const auto index = static_cast<std::size_t>(i);
      const std::size_t first = grains / parts * index + grains % parts * index / parts;
      return first >= grains ? n : first * grain;
    };
    work(border(thread), border(thread + 1) - border(thread), thread);
  };
  if (threads == 1) return range(0);
#pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (int thread = 0; thread < threads; ++thread) range(thread);
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

}  // namespace exactdot::engine

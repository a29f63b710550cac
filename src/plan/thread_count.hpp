// How many CPU threads a call uses. No result depends on it.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstddef>

namespace exactdot::engine {

/// A thread's start costs about as much as this many elements (measured: docs/performance.md).
inline constexpr std::size_t elements_per_thread = std::size_t{1} << 15;

/// The upper limit for a wish: what OpenMP allows, and eight threads per processor.
inline int max_threads(int wanted) { return std::min({wanted, omp_get_thread_limit(), 8 * omp_get_num_procs()}); }

/// How many threads a call uses: as many as are worth their start, at most `wanted` (0: as many as OpenMP allows).
inline int threads_for(std::size_t n, int wanted) {
  if (n < 2 * elements_per_thread) return 1;
  const auto limit = static_cast<std::size_t>(max_threads(wanted > 0 ? wanted : omp_get_max_threads()));
  return static_cast<int>(std::clamp<std::size_t>(n / elements_per_thread, 1, limit));
}

}  // namespace exactdot::engine

// How many CPU threads a call uses. No result depends on it.
#pragma once

#include <cstddef>

namespace exactdot::inline v0_3::engine {

/// Helpers are worth waking from twice as many elements on (measured: docs/experiments.md).
inline constexpr std::size_t elements_per_thread = std::size_t{1} << 16;

/// The processors that the calling thread may use: its affinity, at most as many as the control group's CPU quota
/// lets run all the time (rounded up), at most OMP_NUM_THREADS if that is set. Quota and variable are read once,
/// the affinity at most every 10 ms.
[[nodiscard]] int available_processors() noexcept;

/// How many threads a call uses: as many as are worth it, at most `wanted` (0: the available processors) and eight
/// times the available processors.
[[nodiscard]] int threads_for(std::size_t n, int wanted) noexcept;

}  // namespace exactdot::inline v0_3::engine

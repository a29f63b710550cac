// The barrier of a cooperative launch (cooperative_groups.h).
#pragma once

namespace exactdot::simt::detail {

/// Waits until every thread of the grid has called it. A launch that is not cooperative ends with a trap.
void grid_barrier(const void* caller);
[[nodiscard]] bool launch_is_cooperative();
/// Before a launch: the last one may have ended within a barrier.
void reset_grid_barrier();

}  // namespace exactdot::simt::detail

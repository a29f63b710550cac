// Checks of a rung's promises. Each writes the first broken promise into the rung's measurement.
#pragma once

#include <lab/harness.hpp>

namespace exactdot::lab {

/// Runs the rung on integer vectors whose partial results are all representable; returns whether every result is
/// exact. Covers n = 0, lengths around warp and block sizes, unaligned starts, and two launches in a row.
template <element T>
[[nodiscard]] bool exact_on_integers(const rung& tested, executor& device, const run_options& options,
                                     measurement& result);

/// Runs the rung `options.runs` times: value, counters, largest error, number of distinct results, faults.
template <element T>
void check_runs(const rung& tested, executor& device, const problem<T>& data, const run_options& options,
                measurement& result);

/// Runs the rung once on each of several grids and blocks; does nothing for rungs without a grid.
template <element T>
void check_grids(const rung& tested, executor& device, const problem<T>& data, const run_options& options,
                 measurement& result);

}  // namespace exactdot::lab

// The promises of a rung, each as a check that writes what is broken into the rung's row.
#pragma once

#include <lab/harness.hpp>

namespace exactdot::lab {

/// Integer-valued vectors whose every partial result is representable: the result must be exact, for lengths around
/// every warp and block, none at all, and starts that nothing divides. True when it is.
template <element T>
[[nodiscard]] bool exact_on_integers(const rung& one, bench& on, const conditions& how, row& result);

/// The value of the first run, the error of all, how many differ, counts and faults.
template <element T>
void check_runs(const rung& one, bench& on, const problem<T>& data, const conditions& how, row& result);

/// The same on other grids and blocks, each once; does nothing for rungs without a grid of their own.
template <element T>
void check_grids(const rung& one, bench& on, const problem<T>& data, const conditions& how, row& result);

}  // namespace exactdot::lab

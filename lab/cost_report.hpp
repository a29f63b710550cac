// Costs of a ladder run: the second table of the report, what it shows, and which bits stay the same.
#pragma once

#include <lab/ladder.hpp>
#include <string>

namespace exactdot::lab {

/// Returns one line per rung, at most 120 columns wide. On a GPU: time of the kernels, of copies to the host, of
/// the host, and their total. On the simulator: what a GPU would have to do, and one line each that compares two
/// rungs. Then the rungs whose bits are always the same, the same on one grid, or change from run to run.
[[nodiscard]] std::string cost_text(const ladder_result& result);

}  // namespace exactdot::lab

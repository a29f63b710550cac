// Explanation of one rung: idea, cost, promises and source; the list of all rungs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace exactdot::lab {

/// Returns the names of the rungs of this build over a workload, or over all if `workload` is empty, in the order
/// of the ladder. A name is that of one rung.
[[nodiscard]] std::vector<std::string> rung_names(std::string_view workload = {});

/// Returns the name of the workload of a rung, perhaps not in this build; empty if there is no such rung.
[[nodiscard]] std::string workload_of(std::string_view rung);

/// Returns whether a rung of that name exists, perhaps not in this build, and does not run on the simulator.
[[nodiscard]] bool needs_gpu(std::string_view name);

/// Returns one workload, or all if `workload` is empty, each with one line or more per rung: number, name and
/// summary.
[[nodiscard]] std::string rung_list(std::string_view workload = {});

/// Returns the explanation; its source has the line numbers that findings cite. Throws errc::bad_option, listing
/// the known rungs, if `name` is unknown.
[[nodiscard]] std::string explain(std::string_view name);

}  // namespace exactdot::lab

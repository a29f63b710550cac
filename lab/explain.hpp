// Explanation of one rung: idea, cost, promises and source.
#pragma once

#include <string>
#include <string_view>

namespace exactdot::lab {

/// Returns the explanation. Throws errc::bad_option, listing the known rungs, if `name` is unknown.
[[nodiscard]] std::string explain(std::string_view name);

}  // namespace exactdot::lab

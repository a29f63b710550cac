// One-line summary of a ladder run.
#pragma once

#include <lab/ladder.hpp>
#include <string>

namespace exactdot::lab {

/// Returns "Summary: …" with a newline; at most about 120 columns.
[[nodiscard]] std::string summary(const ladder_result& result);

}  // namespace exactdot::lab

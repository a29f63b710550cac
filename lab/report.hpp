// A climb as a table for people and as data for programs.
#pragma once

#include <lab/ladder.hpp>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace exactdot::lab {

/// At most 120 columns, one line a rung; then broken promises, what was left out, what was claimed beside what
/// was measured, the ramp's truth, and one line of what to notice.
[[nodiscard]] std::string table_of(const ladder_result& result);

/// Figures that do not exist are null; microseconds are of the kernels alone.
[[nodiscard]] nlohmann::ordered_json json_of(const ladder_result& result);

/// The names of rungs that broke a promise, in one sentence; empty when none did.
[[nodiscard]] std::string failures_of(const ladder_result& result);

}  // namespace exactdot::lab

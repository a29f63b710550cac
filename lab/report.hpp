// Report of a ladder run: a table and JSON.
#pragma once

#include <lab/ladder.hpp>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace exactdot::lab {

/// Returns the table, at most 120 columns wide: one line per rung, then broken promises, skipped rungs, claims
/// beside measurements, the results on data ramp, and a one-line summary.
[[nodiscard]] std::string table_of(const ladder_result& result);

/// Returns the report as JSON. Figures that do not apply are null; microseconds are those of the kernels alone.
[[nodiscard]] nlohmann::ordered_json json_of(const ladder_result& result);

/// Returns one sentence naming the rungs that broke a promise; empty if none did.
[[nodiscard]] std::string failures_of(const ladder_result& result);

}  // namespace exactdot::lab

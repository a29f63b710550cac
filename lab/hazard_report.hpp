// Report of a hazard: text and JSON.
#pragma once

#include <lab/hazard.hpp>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace exactdot::lab {

/// Returns the report as lines of at most 120 columns.
[[nodiscard]] std::string hazard_text(const hazard_info& info, const std::string& device,
                                      const hazard_outcome& outcome);

/// Returns the report as JSON with the keys "name", "device", "expected", "observed", "as_expected", "ran",
/// "detected", "figures", "table", "explanation". Elements of "detected" have "kind", "where", "line", "what",
/// "variable", "times", and "other", which is null or has "where", "line" and "what".
[[nodiscard]] nlohmann::ordered_json hazard_json(const hazard_info& info, const std::string& device,
                                                 const hazard_outcome& outcome);

/// Reads an outcome back from JSON, except `detected`: for runs in another process on a GPU, which detects nothing.
[[nodiscard]] hazard_outcome outcome_from_json(const nlohmann::ordered_json& report);

}  // namespace exactdot::lab

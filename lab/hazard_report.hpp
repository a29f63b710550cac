// Report of a hazard: text and JSON.
#pragma once

#include <lab/hazard.hpp>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace exactdot::lab {

/// Returns the report as lines of at most 120 columns.
[[nodiscard]] std::string hazard_text(const hazard_info& info, const std::string& device,
                                      const hazard_outcome& outcome);

/// Returns the report as JSON with the keys "name", "device", "mistake", "expected", "observed", "as_expected",
/// "ran", "detected", "figures", "table", "explanation". Elements of "detected" have "kind", "where", "line",
/// "what", "variable", "times", and "other", which is null or has "where", "line" and "what".
[[nodiscard]] nlohmann::ordered_json hazard_json(const hazard_info& info, const std::string& device,
                                                 const hazard_outcome& outcome);

/// Returns the number of mistakes, and each hazard with its effect.
[[nodiscard]] std::string hazard_list(const std::vector<hazard>& listed);

/// Returns effect, cause, fix, and the source with the line numbers that findings cite.
[[nodiscard]] std::string explain(const hazard_info& info);

/// Reads an outcome back from JSON, except `detected`: for runs in another process on a GPU, which detects nothing.
[[nodiscard]] hazard_outcome outcome_from_json(const nlohmann::ordered_json& report);

}  // namespace exactdot::lab

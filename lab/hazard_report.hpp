// What came of a hazard, for people and for programs.
#pragma once

#include <lab/hazard.hpp>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace exactdot::lab {

/// A block of lines, none wider than 120 columns.
[[nodiscard]] std::string hazard_text(const hazard_info& info, const std::string& device,
                                      const hazard_outcome& seen);

/// "name", "device", "expected", "observed", "as_expected", "ran", "detected" (of each "kind", "where", "line",
/// "what", "variable", "times", and "other" with "where", "line" and "what", or null), "figures", "table",
/// "explanation".
[[nodiscard]] nlohmann::ordered_json hazard_json(const hazard_info& info, const std::string& device,
                                                 const hazard_outcome& seen);

/// The outcome again, all but what was detected: for runs in another process, on a GPU, where nothing is.
[[nodiscard]] hazard_outcome outcome_of(const nlohmann::ordered_json& report);

}  // namespace exactdot::lab

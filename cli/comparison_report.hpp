// A comparison of methods as a table and as JSON.
#pragma once

#include <cli/compare.hpp>
#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

namespace exactdot::cli {

/// Returns a table with one line per method, and a summary line. `bytes`: size of the elements of all files.
[[nodiscard]] std::string comparison_table(std::span<const method_result> results, std::size_t bytes);

/// Returns one object per method; "error_ulps" is a string if no finite double holds it.
[[nodiscard]] nlohmann::ordered_json comparison_json(std::span<const method_result> results, std::size_t bytes);

}  // namespace exactdot::cli

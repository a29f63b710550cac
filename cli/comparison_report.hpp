// A comparison as a table for people and as data for programs.
#pragma once

#include <cli/compare.hpp>
#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

namespace exactdot::cli {

/// `bytes`: of both operands. One line a method, and a last one that says what to notice.
[[nodiscard]] std::string comparison_table(std::span<const method_result> rows, std::size_t bytes);

/// One object a method; an "error_ulps" that no double holds is a string.
[[nodiscard]] nlohmann::ordered_json comparison_json(std::span<const method_result> rows, std::size_t bytes);

}  // namespace exactdot::cli

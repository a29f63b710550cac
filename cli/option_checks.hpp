// Checks of option values. Each returns an error sentence, or nothing if the value is allowed: the interface that
// CLI11 expects of a validator.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace exactdot::cli {

/// Returns the index of the GPU in "cuda" or "cuda:N"; nothing for any other text.
[[nodiscard]] std::optional<int> parse_cuda(std::string_view text);

/// Allows auto, cpu, cuda and cuda:N.
[[nodiscard]] std::string check_device(const std::string& text);

/// Allows a length whose bytes fit in the address space.
[[nodiscard]] std::string check_length(const std::string& text);

/// Allows a length above 0.
[[nodiscard]] std::string check_positive_length(const std::string& text);

/// Allows a name that is not empty.
[[nodiscard]] std::string check_file_name(const std::string& text);

/// Returns a whole number that is written as 1.0 or 1e0 as an integer, and any other text as it is.
[[nodiscard]] std::string whole_ddof(const std::string& text);

/// Allows an integer of 0 or more that int64 holds.
[[nodiscard]] std::string check_ddof(const std::string& text);

/// Returns the axes in "0,-1"; nothing for any other text.
[[nodiscard]] std::optional<std::vector<int>> parse_axes(std::string_view text);

/// Allows integers with commas between them.
[[nodiscard]] std::string check_axes(const std::string& text);

/// Returns the numbers of a schedule, "0,0,1,1"; nothing for any other text.
[[nodiscard]] std::optional<std::vector<unsigned>> parse_schedule(std::string_view text);

/// Allows numbers of threads with commas between them. The sentence names the first step that is none.
[[nodiscard]] std::string check_schedule(const std::string& text);

/// Allows a file name, and - for standard output.
[[nodiscard]] std::string check_json_file(const std::string& text);

/// Allows a condition number that float64 can reach; data sets of float32 have a lower limit.
[[nodiscard]] std::string check_condition(const std::string& text);

}  // namespace exactdot::cli

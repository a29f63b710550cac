// Checks of option values. Each returns an error sentence, or nothing if the value is allowed: the interface that
// CLI11 expects of a validator.
#pragma once

#include <string>

namespace exactdot::cli {

/// Allows auto, cpu, cuda and cuda:N.
[[nodiscard]] std::string check_device(const std::string& text);

/// Allows a length whose bytes fit in the address space.
[[nodiscard]] std::string check_length(const std::string& text);

/// Allows a length above 0.
[[nodiscard]] std::string check_positive_length(const std::string& text);

/// Allows a file name, and - for standard output.
[[nodiscard]] std::string check_json_file(const std::string& text);

/// Allows a condition number that float64 can reach; data sets of float32 have a lower limit.
[[nodiscard]] std::string check_condition(const std::string& text);

}  // namespace exactdot::cli

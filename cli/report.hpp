// Values and measurements as text and as JSON. A value that is read back has the same bits.
#pragma once

#include <cstddef>
#include <exactdot/element.hpp>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace exactdot::cli {

/// A result of type float32 or float64.
struct rounded_value {
  double value = 0;
  element_type type = element_type::float64;
};

/// Returns the shortest decimal that reads back to the same bits in its type; "nan", "inf" or "-inf".
[[nodiscard]] std::string value_text(rounded_value result);

/// Adds "value" (a number; a string if not finite), "hex" (C99) and "bits" (8 or 16 hex digits). "value" gives the
/// same bits if it is read as its type, and if it is read as a double and converted.
void put_value(nlohmann::ordered_json& object, rounded_value result);

/// Adds "seconds" and "gb_per_s".
void put_timing(nlohmann::ordered_json& object, double seconds, std::size_t bytes);

/// Returns 10^9 bytes per second; 0 if the time is 0.
[[nodiscard]] double gb_per_s(double seconds, std::size_t bytes);

/// Returns "1 thread", "2 threads", …
[[nodiscard]] std::string thread_text(int threads);

}  // namespace exactdot::cli

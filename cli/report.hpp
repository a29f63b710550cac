// Values and measurements as text and as JSON, so that every value reads back to the same bits.
#pragma once

#include <cstddef>
#include <exactdot/element.hpp>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace exactdot::cli {

/// A result: a float's value fits in the double.
struct rounded_value {
  double value = 0;
  element_type type = element_type::float64;
};

/// The shortest decimal that reads back to the same bits in its type; "nan", "inf" or "-inf".
[[nodiscard]] std::string value_text(rounded_value result);

/// Adds "value" (a number; a string when not finite), "hex" (C99) and "bits" (8 or 16 hex digits).
/// "value" gives the same bits whether it is read as the type itself or as a double converted to it.
void put_value(nlohmann::ordered_json& object, rounded_value result);

/// Adds "seconds" and "gb_per_s".
void put_timing(nlohmann::ordered_json& object, double seconds, std::size_t bytes);

/// Bytes a second, in units of 10^9; 0 when no time was measured.
[[nodiscard]] double gb_per_s(double seconds, std::size_t bytes);

/// "1 thread", "2 threads", …
[[nodiscard]] std::string thread_text(int threads);

}  // namespace exactdot::cli

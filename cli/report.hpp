// Values and measurements as text and as JSON. A value that is read back has the same bits.
#pragma once

#include <cstddef>
#include <exactdot/views.hpp>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace exactdot::cli {

/// Returns the shortest decimal that reads back to the same bits in its type; "nan", "inf" or "-inf". An integer is
/// printed in full.
[[nodiscard]] std::string value_text(any_scalar result);

/// Adds "value" (a number; a string if not finite), of a floating-point number "hex" (C99), and "bits" (two hex
/// digits per byte). "value" gives the same bits if it is read as its type, and of a floating-point number if it is
/// read as a double and converted. Integers have all their digits.
void put_value(nlohmann::ordered_json& object, any_scalar result);

/// Adds "seconds" and "gb_per_s".
void put_timing(nlohmann::ordered_json& object, double seconds, std::size_t bytes);

/// Returns 10^9 bytes per second; 0 if the time is 0.
[[nodiscard]] double gb_per_s(double seconds, std::size_t bytes);

/// Returns "1 thread", "2 threads", …
[[nodiscard]] std::string thread_text(int threads);

}  // namespace exactdot::cli

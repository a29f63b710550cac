// Values and measurements as text and as JSON. A value that is read back has the same bits.
#pragma once

#include <cstddef>
#include <exactdot/views.hpp>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace exactdot::cli {

/// A result: a real number, or the two parts of a complex one.
struct any_number {
  any_scalar real;
  std::optional<any_scalar> imaginary = std::nullopt;
};

/// Returns the number of this type, complex types included, in native byte order.
[[nodiscard]] any_number number_at(element_type type, const std::byte* bytes);

/// Returns the shortest decimal that reads back to the same bits in its type; "nan", "inf" or "-inf". An integer is
/// printed in full. Of a complex number both parts are such decimals, as Python's complex() reads them: "1.5-2j".
[[nodiscard]] std::string value_text(any_scalar result);
[[nodiscard]] std::string value_text(const any_number& result);

/// Adds "value" (a number; a string if not finite), of a floating-point number "hex" (C99), and "bits" (two hex
/// digits per byte). "value" gives the same bits if it is read as its type, and of a floating-point number if it is
/// read as a double and converted. Integers have all their digits. Of a complex number each of the three is an array
/// of two: the real and the imaginary part's.
void put_value(nlohmann::ordered_json& object, any_scalar result);
void put_value(nlohmann::ordered_json& object, const any_number& result);

/// Adds "seconds" and "gb_per_s".
void put_timing(nlohmann::ordered_json& object, double seconds, std::size_t bytes);

/// Returns 10^9 bytes per second; 0 if the time is 0.
[[nodiscard]] double gb_per_s(double seconds, std::size_t bytes);

/// Returns "1 thread", "2 threads", …
[[nodiscard]] std::string thread_text(int threads);

}  // namespace exactdot::cli

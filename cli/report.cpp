// Values and measurements as text and as JSON; see report.hpp.
#include <fmt/format.h>

#include <bit>
#include <cli/report.hpp>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>

namespace exactdot::cli {
namespace {

std::string bit_text(rounded_value result) {
  if (result.type == element_type::float64)
    return fmt::format("{:016x}", std::bit_cast<std::uint64_t>(result.value));
  return fmt::format("{:08x}", std::bit_cast<std::uint32_t>(static_cast<float>(result.value)));
}

/// Returns the double that JSON shows. For a float this is the double nearest to its shortest decimal (0.1 rather
/// than 0.10000000149011612), unless that double converts to another float.
double json_number(rounded_value result) {
  if (result.type == element_type::float64) return result.value;
  const double shortest = std::strtod(value_text(result).c_str(), nullptr);
  return static_cast<float>(shortest) == static_cast<float>(result.value) ? shortest : result.value;
}

}  // namespace

std::string value_text(rounded_value result) {
  if (std::isnan(result.value)) return "nan";  // "bits" shows sign and payload
  if (result.type == element_type::float64) return fmt::format("{}", result.value);
  return fmt::format("{}", static_cast<float>(result.value));
}

void put_value(nlohmann::ordered_json& object, rounded_value result) {
  if (std::isfinite(result.value)) {
    object["value"] = json_number(result);
  } else {
    object["value"] = value_text(result);
  }
  object["hex"] = std::isfinite(result.value) ? fmt::format("{:a}", result.value) : value_text(result);
  object["bits"] = bit_text(result);
}

double gb_per_s(double seconds, std::size_t bytes) {
  return seconds > 0 ? static_cast<double>(bytes) / seconds / 1e9 : 0;
}

void put_timing(nlohmann::ordered_json& object, double seconds, std::size_t bytes) {
  object["seconds"] = seconds;
  object["gb_per_s"] = gb_per_s(seconds, bytes);
}

std::string thread_text(int threads) { return fmt::format("{} thread{}", threads, threads == 1 ? "" : "s"); }

}  // namespace exactdot::cli

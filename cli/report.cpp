// Values and measurements as text and as JSON; see report.hpp.
#include <fmt/format.h>

#include <cli/report.hpp>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

namespace exactdot::cli {
namespace {

std::string bit_text(any_scalar result) {
  const auto digits = 2 * size_of(result.type);
  return fmt::format("{:0{}x}", result.bits & ~std::uint64_t{0} >> (64 - 4 * digits), digits);
}

/// Whether x and the floats next to it round to this 16-bit number. So does, then, every decimal that reads as x.
template <class T>
bool reads_back(float x, T number) {
  const float infinity = std::numeric_limits<float>::infinity();
  for (const float near : {std::nextafter(x, -infinity), x, std::nextafter(x, infinity)}) {
    if (T(near).bits != number.bits) return false;
  }
  return true;
}

/// The double nearest to the shortest decimal of a finite 16-bit number; at most 5 digits tell all of them apart.
template <class T>
double shortest_decimal(T number) {
  if (number == 0) return number;  // with its sign
  for (int precision = 1; precision < 6; ++precision) {
    const double candidate = std::strtod(fmt::format("{:.{}g}", float{number}, precision).c_str(), nullptr);
    if (reads_back(static_cast<float>(candidate), number)) return candidate;
  }
  return number;
}

/// The same for a float, as JSON shows it (0.1 rather than 0.10000000149011612), unless that double converts to
/// another float.
double shortest_decimal(float number) {
  const double shortest = std::strtod(fmt::format("{}", number).c_str(), nullptr);
  return static_cast<float>(shortest) == number ? shortest : number;
}

double shortest_decimal(double number) { return number; }

/// work(value) with the value as its C++ type.
template <class Work>
decltype(auto) with_value(any_scalar result, Work work) {
  return with_element(result.type, [&]<class T>(T) { return work(result.as<T>()); });
}

}  // namespace

any_number number_at(element_type type, const std::byte* bytes) {
  const bool has_parts = is_complex(type);
  const element_type part = has_parts ? part_of(type) : type;
  const auto read = [&](std::size_t k) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, bytes + k * size_of(part), size_of(part));
    return any_scalar{part, bits};
  };
  return {read(0), has_parts ? std::optional(read(1)) : std::nullopt};
}

std::string value_text(any_scalar result) {
  return with_value(result, []<class T>(T x) -> std::string {
    if constexpr (integer_element<T>) {
      return std::to_string(x);
    } else {
      if (x != x) return "nan";  // "bits" shows sign and payload
      if constexpr (sizeof(T) <= 2) {
        return fmt::format("{}", std::isfinite(float{x}) ? shortest_decimal(x) : static_cast<double>(x));
      } else {
        return fmt::format("{}", x);
      }
    }
  });
}

std::string value_text(const any_number& result) {
  if (!result.imaginary) return value_text(result.real);
  std::string imaginary = value_text(*result.imaginary);
  if (!imaginary.starts_with('-')) imaginary.insert(0, 1, '+');
  return value_text(result.real) + imaginary + 'j';
}

void put_value(nlohmann::ordered_json& object, any_scalar result) {
  with_value(result, [&]<class T>(T x) {
    if constexpr (integer_element<T>) {
      object["value"] = x;
    } else {
      const bool finite = std::isfinite(static_cast<double>(x));
      if (finite) {
        object["value"] = shortest_decimal(x);
      } else {
        object["value"] = value_text(result);
      }
      object["hex"] = finite ? fmt::format("{:a}", static_cast<double>(x)) : value_text(result);
    }
  });
  object["bits"] = bit_text(result);
}

void put_value(nlohmann::ordered_json& object, const any_number& result) {
  if (!result.imaginary) return put_value(object, result.real);
  nlohmann::ordered_json real, imaginary;
  put_value(real, result.real), put_value(imaginary, *result.imaginary);
  for (const auto& [name, value] : real.items()) object[name] = nlohmann::ordered_json::array({value, imaginary[name]});
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

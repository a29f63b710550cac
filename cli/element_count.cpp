// Parses lengths; see element_count.hpp.
#include <charconv>
#include <cli/element_count.hpp>
#include <limits>

namespace exactdot::cli {
namespace {

using count = std::optional<std::size_t>;

count times(count x, count y) {
  if (!x || !y || (*y != 0 && *x > std::numeric_limits<std::size_t>::max() / *y)) return std::nullopt;
  return *x * *y;
}

count power(std::size_t base, std::size_t exponent) {
  if (base < 2) return exponent == 0 ? 1 : base;
  count result = 1;
  for (; exponent > 0 && result; --exponent) result = times(result, base);
  return result;
}

/// Removes the digits at the beginning of the text and returns their value.
count read_digits(std::string_view& text) {
  std::size_t value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

count parse_factor(std::string_view text) {
  const count value = read_digits(text);
  if (!value || text.empty()) return value;
  const char sign = text[0];
  if (sign == '^' || sign == 'e' || sign == 'E') {
    text.remove_prefix(1);
    const count exponent = read_digits(text);
    if (!exponent || !text.empty()) return std::nullopt;
    return sign == '^' ? power(*value, *exponent) : times(value, power(10, *exponent));
  }
  const std::size_t step = std::string_view("kMGT").find(sign == 'K' ? 'k' : sign);
  const std::string_view rest = text.substr(1);
  if (step == std::string_view::npos || (!rest.empty() && rest != "i")) return std::nullopt;
  return times(value, power(rest.empty() ? 1000 : 1024, step + 1));
}

}  // namespace

std::optional<std::size_t> parse_element_count(std::string_view text) {
  count product = 1;
  while (product) {
    const std::size_t star = text.find('*');
    product = times(product, parse_factor(text.substr(0, star)));
    if (star == std::string_view::npos) break;
    text.remove_prefix(star + 1);
  }
  return product;
}

}  // namespace exactdot::cli

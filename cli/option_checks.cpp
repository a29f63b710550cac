// Checks of option values; see option_checks.hpp.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cli/element_count.hpp>
#include <cli/option_checks.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <io/ill_conditioned.hpp>
#include <limits>
#include <optional>
#include <system_error>

namespace exactdot::cli {
namespace {

/// The number that the whole text is, or nothing.
template <class Number>
std::optional<Number> parse(std::string_view text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, number);
  if (fault != std::errc{} || stop != end) return std::nullopt;
  return number;
}

}  // namespace

std::optional<int> parse_cuda(std::string_view text) {
  if (text == "cuda") return 0;
  if (!text.starts_with("cuda:")) return std::nullopt;
  int index = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data() + 5, end, index);
  if (fault != std::errc{} || stop != end || index < 0) return std::nullopt;
  return index;
}

std::string check_device(const std::string& text) {
  if (text == "auto" || text == "cpu" || parse_cuda(text)) return {};
  return fmt::format("'{}' is not a device; expected auto, cpu, cuda or cuda:N", text);
}

std::string check_length(const std::string& text) {
  const std::optional<std::size_t> n = parse_element_count(text);
  if (n && *n <= std::numeric_limits<std::size_t>::max() / sizeof(double) - 128) return {};
  return fmt::format("'{}' is not a length; expected 1000, 2^20, 1e6, 1k, 3M, 64Ki or 32*2^20", text);
}

std::string check_positive_length(const std::string& text) {
  if (parse_element_count(text) == 0)
    return fmt::format("'{}' is too short; expected a length of at least 1", text);
  return check_length(text);
}

std::string check_file_name(const std::string& text) { return text.empty() ? "'' is not a file name" : ""; }

std::string whole_ddof(const std::string& text) {
  const std::optional<double> number = parse<double>(text);
  if (!number || text.find_first_of(".eE") == std::string::npos) return text;
  const bool is_whole = *number >= 0 && *number <= 0x1p53 && std::trunc(*number) == *number;
  return is_whole ? std::to_string(static_cast<std::int64_t>(*number)) : text;
}

std::string check_ddof(const std::string& text) {
  std::int64_t ddof = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, ddof);
  if (fault == std::errc{} && stop == end && ddof >= 0) return {};
  if (const std::optional<double> number = parse<double>(text); number > 0 && std::trunc(*number) != *number) {
    return fmt::format(
        "'{}' has a fraction, which is for ddof= of Python's xd.var and xd.std; expected an integer of 0 or more",
        text);
  }
  return fmt::format("'{}' is not a number of degrees of freedom; expected an integer of 0 or more", text);
}

std::optional<std::vector<int>> parse_axes(std::string_view text) {
  std::vector<int> axes;
  while (true) {
    const std::size_t comma = std::min(text.find(','), text.size());
    int axis = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + comma, axis);
    if (fault != std::errc{} || end != text.data() + comma) return std::nullopt;
    axes.push_back(axis);
    if (comma == text.size()) return axes;
    text.remove_prefix(comma + 1);
  }
}

std::string check_axes(const std::string& text) {
  if (parse_axes(text)) return {};
  return fmt::format("'{}' does not name axes; expected integers with commas between them: 0 or -1 or 0,2", text);
}

std::optional<std::vector<unsigned>> parse_schedule(std::string_view text) {
  std::vector<unsigned> threads;
  while (true) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::optional<unsigned> thread = parse<unsigned>(text.substr(0, comma));
    if (!thread) return std::nullopt;
    threads.push_back(*thread);
    if (comma == text.size()) return threads;
    text.remove_prefix(comma + 1);
  }
}

std::string check_schedule(const std::string& text) {
  std::string_view rest = text;
  for (std::size_t step = 1;; ++step) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    if (!parse<unsigned>(rest.substr(0, comma))) {
      return fmt::format(
          "step {}: '{}' is not the number of a thread; expected numbers with commas between them: 0,0,1,1", step,
          rest.substr(0, comma));
    }
    if (comma == rest.size()) return {};
    rest.remove_prefix(comma + 1);
  }
}

std::string check_json_file(const std::string& text) {
  if (text == "-" || (!text.empty() && text.front() != '-')) return {};
  return fmt::format("'{}' is not a file name; write ./ before a name that begins with -", text);
}

std::string check_condition(const std::string& text) {
  const std::optional<double> condition = parse<double>(text);
  if (condition && *condition >= 1 && *condition <= io::max_condition<double>) return {};
  return fmt::format("'{}' is not a condition number; expected 1 to {:g} (float32) or {:g} (float64)", text,
                     io::max_condition<float>, io::max_condition<double>);
}

}  // namespace exactdot::cli

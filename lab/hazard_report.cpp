// What came of a hazard; see hazard_report.hpp.
#include <fmt/format.h>

#include <cmath>
#include <lab/hazard_report.hpp>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>

namespace exactdot::lab {
namespace {

constexpr std::size_t columns = 118, margin = 12;
constexpr std::size_t most_shown = 3;

/// A heading, and words beside it on as many lines as they need.
void add_paragraph(std::string& text, std::string_view heading, std::string_view words) {
  std::string line = fmt::format("  {:<{}}", heading, margin - 2);
  const std::size_t start = line.size();
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    const std::string_view word = words.substr(0, end);
    if (line.size() > start && line.size() + 1 + word.size() > columns) {
      text += line + "\n";
      line.assign(margin, ' ');
    }
    if (line.size() > start) line += ' ';
    line += word;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  text += line + "\n";
}

std::string text_of(const fault_place& one) {
  if (one.file.empty()) return one.what;
  return fmt::format("{} ({}:{})", one.what, one.file, one.line);
}

std::string text_of(const named_fault& one) {
  std::string text = one.kind;
  if (!one.variable.empty()) text += " in " + one.variable;
  text += ": " + text_of(one.here);
  if (!one.other.what.empty()) text += "; the other: " + text_of(one.other);
  if (one.times > 1) text += fmt::format("; {} times", one.times);
  return text;
}

nlohmann::ordered_json json_of(const named_fault& one) {
  nlohmann::ordered_json object = {{"kind", one.kind},      {"where", one.here.file},   {"line", one.here.line},
                                   {"what", one.here.what}, {"variable", one.variable}, {"times", one.times},
                                   {"other", nullptr}};
  if (!one.other.what.empty()) {
    object["other"] = {{"where", one.other.file}, {"line", one.other.line}, {"what", one.other.what}};
  }
  return object;
}

}  // namespace

std::string hazard_text(const hazard_info& info, const std::string& device, const hazard_outcome& seen) {
  std::string text = fmt::format("{} on {}\n", info.name, device);
  add_paragraph(text, "does", info.does);
  add_paragraph(text, "expected", seen.expected);
  add_paragraph(text, "observed", seen.observed + (seen.as_expected ? "" : " (NOT as expected)"));
  for (const std::string& line : seen.table) text += std::string(margin + 2, ' ') + line + "\n";
  for (std::size_t i = 0; i < seen.detected.size() && i < most_shown; ++i) {
    add_paragraph(text, i == 0 ? "named" : "", text_of(seen.detected[i]));
  }
  if (seen.detected.size() > most_shown) {
    add_paragraph(text, "", fmt::format("and {} more (--json lists them)", seen.detected.size() - most_shown));
  }
  add_paragraph(text, "why", info.why);
  add_paragraph(text, "cure", info.cure);
  return text;
}

nlohmann::ordered_json hazard_json(const hazard_info& info, const std::string& device, const hazard_outcome& seen) {
  nlohmann::ordered_json detected = nlohmann::ordered_json::array();
  for (const named_fault& one : seen.detected) detected.push_back(json_of(one));
  nlohmann::ordered_json figures = nlohmann::ordered_json::object();
  for (const hazard_figure& one : seen.figures) figures[one.name] = one.value;
  return {{"name", info.name},
          {"device", device},
          {"expected", seen.expected},
          {"observed", seen.observed},
          {"as_expected", seen.as_expected},
          {"ran", seen.ran},
          {"detected", detected},
          {"figures", figures},
          {"table", seen.table},
          {"explanation", explanation_of(info)}};
}

hazard_outcome outcome_of(const nlohmann::ordered_json& report) {
  hazard_outcome seen;
  report.at("expected").get_to(seen.expected);
  report.at("observed").get_to(seen.observed);
  report.at("as_expected").get_to(seen.as_expected);
  report.at("ran").get_to(seen.ran);
  report.at("table").get_to(seen.table);
  for (const auto& [name, value] : report.at("figures").items()) {
    seen.figures.push_back(
        {name, value.is_number() ? value.get<double>() : std::numeric_limits<double>::quiet_NaN()});
  }
  return seen;
}

}  // namespace exactdot::lab

// Report of a hazard; see hazard_report.hpp.
#include <fmt/format.h>

#include <algorithm>
#include <lab/hazard_report.hpp>
#include <lab/paragraph.hpp>
#include <lab/source_listing.hpp>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>

namespace exactdot::lab {
namespace {

constexpr std::size_t margin = 12;
constexpr std::size_t max_shown = 3;

void add_paragraph(std::string& text, std::string_view heading, std::string_view words) {
  text += paragraph("  " + std::string(heading), words, margin);
}

std::string text_of(const fault_site& site) {
  if (site.file.empty()) return site.access;
  return fmt::format("{} ({}:{})", site.access, site.file, site.line);
}

std::string text_of(const reported_fault& fault) {
  std::string text = fault.kind;
  if (!fault.variable.empty()) text += " in " + fault.variable;
  text += ": " + text_of(fault.site);
  if (!fault.other_site.access.empty()) text += "; other side: " + text_of(fault.other_site);
  if (fault.times > 1) text += fmt::format("; {} times", fault.times);
  return text;
}

nlohmann::ordered_json json_of(const reported_fault& fault) {
  const fault_site &site = fault.site, &other = fault.other_site;
  nlohmann::ordered_json object = {{"kind", fault.kind},  {"where", site.file},         {"line", site.line},
                                   {"what", site.access}, {"variable", fault.variable}, {"times", fault.times},
                                   {"other", nullptr}};
  if (!other.access.empty()) {
    object["other"] = {{"where", other.file}, {"line", other.line}, {"what", other.access}};
  }
  return object;
}

}  // namespace

std::string hazard_text(const hazard_info& info, const std::string& device, const hazard_outcome& outcome) {
  std::string text = fmt::format("{} on {}\n", info.name, device);
  add_paragraph(text, "effect", info.effect);
  add_paragraph(text, "expected", outcome.expected);
  add_paragraph(text, "observed", outcome.observed + (outcome.as_expected ? "" : " (NOT as expected)"));
  for (const std::string& line : outcome.table) text += std::string(margin + 2, ' ') + line + "\n";
  for (std::size_t i = 0; i < outcome.detected.size() && i < max_shown; ++i) {
    add_paragraph(text, i == 0 ? "reported" : "", text_of(outcome.detected[i]));
  }
  if (outcome.detected.size() > max_shown) {
    add_paragraph(text, "", fmt::format("and {} more (--json lists them)", outcome.detected.size() - max_shown));
  }
  add_paragraph(text, "cause", info.cause);
  add_paragraph(text, "fix", info.fix);
  return text;
}

nlohmann::ordered_json hazard_json(const hazard_info& info, const std::string& device,
                                   const hazard_outcome& outcome) {
  nlohmann::ordered_json detected = nlohmann::ordered_json::array();
  for (const reported_fault& fault : outcome.detected) detected.push_back(json_of(fault));
  nlohmann::ordered_json figures = nlohmann::ordered_json::object();
  for (const hazard_figure& figure : outcome.figures) figures[figure.name] = figure.value;
  return {{"name", info.name},
          {"device", device},
          {"mistake", info.mistake},
          {"expected", outcome.expected},
          {"observed", outcome.observed},
          {"as_expected", outcome.as_expected},
          {"ran", outcome.completed},
          {"detected", detected},
          {"figures", figures},
          {"table", outcome.table},
          {"explanation", explanation_of(info)}};
}

hazard_outcome outcome_from_json(const nlohmann::ordered_json& report) {
  hazard_outcome outcome;
  report.at("expected").get_to(outcome.expected);
  report.at("observed").get_to(outcome.observed);
  report.at("as_expected").get_to(outcome.as_expected);
  report.at("ran").get_to(outcome.completed);
  report.at("table").get_to(outcome.table);
  for (const auto& [name, value] : report.at("figures").items()) {
    outcome.figures.push_back(
        {name, value.is_number() ? value.get<double>() : std::numeric_limits<double>::quiet_NaN()});
  }
  return outcome;
}

std::string hazard_list(const std::vector<hazard>& listed) {
  const auto mistakes = std::ranges::count_if(listed, [](const hazard& one) { return one.info.mistake; });
  std::string text = fmt::format("{} mistakes and {} illustrations (*)\n", mistakes,
                                 static_cast<std::ptrdiff_t>(listed.size()) - mistakes);
  for (const hazard& one : listed) {
    const std::string heading =
        fmt::format("{:>2} {}{}", one.info.number, one.info.name, one.info.mistake ? "" : " *");
    text += paragraph(heading, one.info.effect, 32);
  }
  return text;
}

std::string explain(const hazard_info& info) {
  std::string text = fmt::format("{}{}\n", info.name, info.mistake ? "" : " (no mistake: an illustration)");
  add_paragraph(text, "effect", info.effect);
  add_paragraph(text, "cause", info.cause);
  add_paragraph(text, "fix", info.fix);
  return text + listing("lab/hazards/", info.file, hazard_source_of, 1);
}

}  // namespace exactdot::lab

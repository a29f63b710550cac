// The page; see html_page.hpp. The template's marks are replaced once each, in their order.
#include <fmt/format.h>

#include <lab/html_json.hpp>
#include <lab/html_page.hpp>
#include <nlohmann/json.hpp>
#include <string_view>

namespace exactdot::lab {
namespace {

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    result += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : c == '"' ? "&quot;" : std::string(1, c);
  }
  return result;
}

/// Returns JSON that may stand in a script element: no < can end it.
std::string script_json(const nlohmann::ordered_json& object) {
  std::string result;
  for (const char c : object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)) {
    result += c == '<' ? "\\u003c" : std::string(1, c);
  }
  return result;
}

/// Returns the page's script: files of one idea each, of which a later one may use the earlier ones at its start.
std::string script() {
  std::string text;
  for (const char* const file : {"steps.js", "state.js", "source_view.js", "thread_view.js", "memory_view.js",
                                 "time_line.js", "run_view.js", "controls.js"}) {
    text += page_file(file);
  }
  return text;
}

}  // namespace

std::string page_of(const std::string& title, const std::string& command,
                    const std::vector<html_subject>& subjects) {
  nlohmann::ordered_json data = json_of(subjects);
  data["command"] = command;
  const std::pair<std::string_view, std::string> parts[] = {{"@TITLE@", escaped(title)},
                                                            {"@STYLE@", std::string(page_file("stepper.css"))},
                                                            {"@TITLE@", escaped(title)},
                                                            {"@DATA@", script_json(data)},
                                                            {"@SCRIPT@", script()}};
  std::string_view rest = page_file("stepper.html");
  std::string page;
  for (const auto& [mark, text] : parts) {
    const std::size_t at = rest.find(mark);
    page += rest.substr(0, at);
    page += text;
    rest.remove_prefix(at + mark.size());
  }
  return page += rest;
}

std::vector<std::string> left_out_of(const std::vector<html_subject>& subjects) {
  std::vector<std::string> lines;
  for (const html_subject& subject : subjects) {
    for (std::size_t i = 0; i < subject.launches.size(); ++i) {
      const std::string sentence = left_out_of(subject.launches[i], subject.limits);
      if (!sentence.empty())
        lines.push_back(fmt::format("{}, {}. {}: {}", subject.name, i + 1, subject.launches[i].kernel, sentence));
    }
    const std::string launches = launches_left_out_of(subject);
    if (!launches.empty()) lines.push_back(fmt::format("{}: {}", subject.name, launches));
  }
  return lines;
}

}  // namespace exactdot::lab

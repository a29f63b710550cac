// The page; see page.hpp. The template's marks are replaced once each, in their order.
#include "page.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include "json.hpp"

namespace exactdot::simt {
namespace {

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    result += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : c == '"' ? "&quot;" : std::string(1, c);
  }
  return result;
}

/// Returns the page's script: files of one idea each, of which a later one may use the earlier ones at its start.
std::string script() {
  std::string text;
  for (const char* const file : {"steps.js", "state.js", "meaning.js", "source_view.js", "thread_view.js",
                                 "memory_view.js", "time_line.js", "run_view.js", "controls.js"}) {
    text += page_file(file);
  }
  return text;
}

}  // namespace

std::string page_of(const std::string& title, const std::string& command, const std::vector<page_subject>& subjects,
                    const source_reader& source_of) {
  const std::pair<std::string_view, std::string> parts[] = {{"@TITLE@", escaped(title)},
                                                            {"@STYLE@", std::string(page_file("stepper.css"))},
                                                            {"@TITLE@", escaped(title)},
                                                            {"@DATA@", json_of(subjects, command, source_of)},
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

std::vector<std::string> left_out_of(const std::vector<page_subject>& subjects) {
  std::vector<std::string> lines;
  for (const page_subject& subject : subjects) {
    for (const recorded_launch& launch : subject.launches) {
      const std::string sentence = left_out_of(launch);
      if (!sentence.empty())
        lines.push_back(subject.name + ", " + std::to_string(launch.number) + ". " + launch.kernel + ": " +
                        sentence);
    }
    for (const std::string& sentence : sentences_of(subject)) lines.push_back(subject.name + ": " + sentence);
  }
  return lines;
}

std::string obstacle_to_page(const std::string& file) {
  std::error_code absent;
  const std::filesystem::file_type kind = std::filesystem::status(file, absent).type();
  if (kind == std::filesystem::file_type::directory) return "cannot write it: it is a folder";
  if (kind == std::filesystem::file_type::fifo) return "cannot write it: it is a pipe, which would wait for a reader";
  const bool is_new = !std::filesystem::exists(std::filesystem::symlink_status(file, absent));
  if (std::filesystem::is_regular_file(file, absent) && std::filesystem::file_size(file, absent) != 0) {
    constexpr std::string_view beginning = "<!DOCTYPE html>";
    char bytes[beginning.size()] = {};
    std::FILE* const old = std::fopen(file.c_str(), "rb");
    const std::size_t count = old == nullptr ? 0 : std::fread(bytes, 1, sizeof bytes, old);
    if (old != nullptr) static_cast<void>(std::fclose(old));
    if (std::string_view(bytes, count) != beginning)
      return "would be replaced, and it is no HTML page; name another file, or remove it";
  }
  std::FILE* const out = std::fopen(file.c_str(), "ab");
  if (out == nullptr) return std::string("cannot write it: ") + std::strerror(errno);
  static_cast<void>(std::fclose(out));
  if (is_new) static_cast<void>(std::remove(file.c_str()));
  return "";
}

std::string write_page(const std::string& file, const std::string& page) {
  std::FILE* const out = std::fopen(file.c_str(), "wb");
  if (out == nullptr) return std::strerror(errno);
  const bool complete = std::fwrite(page.data(), 1, page.size(), out) == page.size();
  const int write_error = errno;
  if (std::fclose(out) == 0 && complete) return "";
  return std::strerror(complete ? errno : write_error);
}

}  // namespace exactdot::simt

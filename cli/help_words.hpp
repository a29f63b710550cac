// The words of CLI11's help and errors, without its names of types. Included by command_line.cpp only.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <utility>

namespace exactdot::cli {

/// CLI11's help without the options that each option excludes or needs, and without C++'s names of types: the
/// errors of wrong usage name the former, the texts the latter.
class short_help : public CLI::Formatter {
 public:
  std::string make_option_opts(const CLI::Option* option) const override {
    std::string text = CLI::Formatter::make_option_opts(option);
    for (const char* const mark : {" Needs:", " Excludes:", " REQUIRED"})
      text.resize(std::min(text.find(mark), text.size()));
    for (const std::string type : {" TEXT", " INT", " UINT", " FLOAT"}) {
      if (text.starts_with(type + ":")) return " " + text.substr(type.size() + 1);
      if (text == type && option->get_positional()) return "";
    }
    return text;
  }
  /// The words after -- are not CLI11's.
  std::string make_usage(const CLI::App* app, std::string name) const override {
    std::string text = CLI::Formatter::make_usage(app, std::move(name));
    if (app->get_name() == "run") text.replace(text.find_last_not_of('\n') + 1, 0, " -- PROGRAM [ARGUMENTS]...");
    return text;
  }
};

/// Returns CLI11's sentence; a missing value is not described by a type.
inline std::string sentence_of(const CLI::ParseError& parse_error) {
  const std::string sentence = parse_error.what();
  const std::size_t mark = sentence.find(": 1 required ");
  return mark == sentence.npos ? sentence : sentence.substr(0, mark) + ": a value is missing";
}

}  // namespace exactdot::cli

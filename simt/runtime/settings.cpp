// Settings come as "name=value" lines of the program (simtcc's options) and as environment variables SIMTCC_NAME.
#include "settings.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <simt/page/page.hpp>
#include <string_view>

#include "source_names.hpp"

/// Replaced by a program's own if simtcc got one of the options.
extern "C" {
[[gnu::weak]] const char* exactdot_simtcc_defaults = "";
}

namespace exactdot::simt {
namespace {

[[noreturn]] void refuse(const std::string& name, const std::string& value, const char* expected) {
  std::fprintf(stderr, "simtcc: %s=%s: expected %s\n", name.c_str(), value.c_str(), expected);
  std::exit(2);
}

std::uint64_t to_number(const std::string& name, const std::string& value, std::uint64_t min, std::uint64_t max,
                        const char* expected) {
  char* end = nullptr;
  errno = 0;
  const unsigned long long number = std::strtoull(value.c_str(), &end, 10);
  const bool digits = !value.empty() && value.find_first_not_of("0123456789") == std::string::npos;
  if (!digits || errno != 0 || number < min || number > max) refuse(name, value, expected);
  return number;
}

/// Reads a list such as 0,3 or 2-5.
template <class Number>
std::vector<Number> to_list(const std::string& name, const std::string& value, Number min, const char* expected) {
  constexpr std::size_t max_count = 1000;
  const auto number = [&](const std::string& word, std::uint64_t least) {
    const bool digits =
        !word.empty() && word.size() < 11 && word.find_first_not_of("0123456789") == std::string::npos;
    const std::uint64_t read = digits ? std::strtoull(word.c_str(), nullptr, 10) : 0;
    if (!digits || read < least || read > 0xffffffffU) refuse(name, value, expected);
    return read;
  };
  std::vector<Number> list;
  for (std::size_t first = 0; first <= value.size();) {
    const std::size_t end = std::min(value.find(',', first), value.size());
    const std::string word = value.substr(first, end - first);
    const std::size_t dash = std::min(word.find('-'), word.size());
    const std::uint64_t from = number(word.substr(0, dash), min);
    const std::uint64_t to = dash == word.size() ? from : number(word.substr(dash + 1), from);
    if (to - from >= max_count - list.size()) refuse(name, value, "at most 1000 numbers");
    for (std::uint64_t i = from; i <= to; ++i) list.push_back(static_cast<Number>(i));
    first = end + 1;
  }
  return list;
}

/// A pipe that nobody reads would let the program wait at its end; one that is closed again would end its reader.
void check_pipe(const std::string& name, const std::string& file) {
  if (open(file.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC) < 0) {
    std::fprintf(stderr, "simtcc: %s=%s: cannot write it: %s\n", name.c_str(), file.c_str(),
                 errno == ENXIO ? "it is a pipe that nobody reads" : std::strerror(errno));
    std::exit(2);
  }
}

/// Ends the program before it runs, if its findings could not be written, or would replace a source file or the
/// program.
void check_report_file(const std::string& name, const std::string& file) {
  if (file.empty()) return;
  std::error_code absent;
  if (has_name_of_source(file) || std::filesystem::equivalent(file, "/proc/self/exe", absent))
    refuse(name, file, "the name of a file for findings, not of a source file or of the program");
  if (std::filesystem::is_fifo(file, absent)) return check_pipe(name, file);
  std::FILE* const opened = std::fopen(file.c_str(), "a");
  if (opened == nullptr) {
    std::fprintf(stderr, "simtcc: %s=%s: cannot write it: %s\n", name.c_str(), file.c_str(), std::strerror(errno));
    std::exit(2);
  }
  std::fclose(opened);
}

/// The same for the page, which may replace an earlier page only.
void check_page_file(const std::string& name, const std::string& file) {
  if (file.empty()) return;
  std::error_code absent;
  if (has_name_of_source(file) || std::filesystem::equivalent(file, "/proc/self/exe", absent))
    refuse(name, file, "the name of a file for the page, not of a source file or of the program");
  const std::string obstacle = obstacle_to_page(file);
  if (obstacle.empty()) return;
  std::fprintf(stderr, "simtcc: %s=%s: %s\n", name.c_str(), file.c_str(), obstacle.c_str());
  std::exit(2);
}

void apply(program_settings& settings, std::string_view option, const std::string& name, const std::string& value) {
  if (option == "seed") {
    settings.seed = to_number(name, value, 0, ~std::uint64_t{0}, "a number, the first seed");
  } else if (option == "seeds") {
    settings.seeds = static_cast<unsigned>(to_number(name, value, 1, 100000, "1 to 100000 runs"));
  } else if (option == "steps") {
    settings.steps = to_number(name, value, 1, ~std::uint64_t{0}, "the maximum number of steps of a launch");
  } else if (option == "profile") {
    if (value != "0" && value != "1") refuse(name, value, "0 or 1");
    settings.profile = value == "1";
  } else if (option == "json") {
    settings.json = value;
    check_report_file(name, value);
  } else if (option == "html") {
    settings.html = value;
    check_page_file(name, value);
  } else if (option == "html-launch") {
    settings.html_launches =
        to_list<std::size_t>(name, value, 1, "launches of the program, such as 2 or 1,4 or 2-5");
  } else if (option == "html-blocks") {
    settings.html_blocks = to_list<unsigned>(name, value, 0, "blocks of a launch, such as 0 or 0,3 or 2-5");
  } else if (option == "arch") {
    settings.architecture =
        static_cast<unsigned>(to_number(name, value, 10, 199, "a compute capability, such as 90"));
  } else if (option == "model") {
    if (value != "independent" && value != "lock_step") refuse(name, value, "independent or lock_step");
    settings.model = value == "lock_step" ? execution::lock_step : execution::independent;
  }
}

}  // namespace

const char* name_of(execution model) { return model == execution::lock_step ? "lock_step" : "independent"; }

program_settings read_settings() {
  program_settings settings;
  std::string_view lines = exactdot_simtcc_defaults;
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(lines.size(), line.size() + 1));
    const std::size_t equal = line.find('=');
    const std::string option(line.substr(0, equal));
    apply(settings, option, "--" + option, std::string(line.substr(equal + 1)));
  }
  constexpr struct {
    const char *option, *variable;
  } variables[] = {{"seed", "SIMTCC_SEED"},
                   {"seeds", "SIMTCC_SEEDS"},
                   {"model", "SIMTCC_MODEL"},
                   {"json", "SIMTCC_JSON"},
                   {"steps", "SIMTCC_STEPS"},
                   {"profile", "SIMTCC_PROFILE"},
                   {"html", "SIMTCC_HTML"},
                   {"html-launch", "SIMTCC_HTML_LAUNCH"},
                   {"html-blocks", "SIMTCC_HTML_BLOCKS"}};
  for (const auto& [option, variable] : variables) {
    if (const char* const value = std::getenv(variable)) apply(settings, option, variable, value);
  }
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view name = std::string_view(*entry).substr(0, std::string_view(*entry).find('='));
    const auto is_name = [&](const auto& known) { return name == known.variable; };
    if (name.starts_with("SIMTCC_") && name != "SIMTCC_CXX" &&
        std::none_of(std::begin(variables), std::end(variables), is_name)) {
      std::fprintf(stderr,
                   "simtcc: %.*s: unknown; expected SIMTCC_SEED, SEEDS, MODEL, JSON, STEPS, PROFILE, HTML, "
                   "HTML_LAUNCH or HTML_BLOCKS\n",
                   static_cast<int>(name.size()), name.data());
    }
  }
  std::error_code absent;
  if (!settings.html.empty() && !settings.json.empty() &&
      (settings.html == settings.json || std::filesystem::equivalent(settings.html, settings.json, absent)))
    refuse("SIMTCC_HTML", settings.html, "another file than that of the findings, SIMTCC_JSON");
  return settings;
}

}  // namespace exactdot::simt

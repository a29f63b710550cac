// Settings come as "name=value" lines of the program (simtcc's options) and as environment variables SIMTCC_NAME.
#include "settings.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
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

/// Ends the program before it runs, if its findings could not be written, or would replace a source file or the
/// program.
void check_report_file(const std::string& name, const std::string& file) {
  if (file.empty()) return;
  std::error_code absent;
  if (has_name_of_source(file) || std::filesystem::equivalent(file, "/proc/self/exe", absent))
    refuse(name, file, "the name of a file for findings, not of a source file or of the program");
  std::FILE* const opened = std::fopen(file.c_str(), "a");
  if (opened == nullptr) {
    std::fprintf(stderr, "simtcc: %s=%s: cannot write it: %s\n", name.c_str(), file.c_str(), std::strerror(errno));
    std::exit(2);
  }
  std::fclose(opened);
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
  } variables[] = {{"seed", "SIMTCC_SEED"}, {"seeds", "SIMTCC_SEEDS"}, {"model", "SIMTCC_MODEL"},
                   {"json", "SIMTCC_JSON"}, {"steps", "SIMTCC_STEPS"}, {"profile", "SIMTCC_PROFILE"}};
  for (const auto& [option, variable] : variables) {
    if (const char* const value = std::getenv(variable)) apply(settings, option, variable, value);
  }
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view name = std::string_view(*entry).substr(0, std::string_view(*entry).find('='));
    const auto is_name = [&](const auto& known) { return name == known.variable; };
    if (name.starts_with("SIMTCC_") && name != "SIMTCC_CXX" &&
        std::none_of(std::begin(variables), std::end(variables), is_name)) {
      std::fprintf(stderr, "simtcc: %.*s: unknown; expected SIMTCC_SEED, SEEDS, MODEL, JSON, STEPS or PROFILE\n",
                   static_cast<int>(name.size()), name.data());
    }
  }
  return settings;
}

}  // namespace exactdot::simt

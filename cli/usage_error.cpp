// Wrong usage; see usage_error.hpp.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cli/suggestion.hpp>
#include <cli/usage_error.hpp>
#include <exactdot/error.hpp>
#include <io/fault.hpp>

namespace exactdot::cli {

void refuse_usage(const std::string& fault, const std::string& command) {
  throw error(errc::bad_option, fmt::format("{}; see {} --help", io::printable(fault), command));
}

void check_subcommand(const std::string& word, std::span<const std::string> subcommands,
                      std::span<const std::string> aliases) {
  std::vector<std::string> all(subcommands.begin(), subcommands.end());
  all.insert(all.end(), aliases.begin(), aliases.end());
  if (word.starts_with('-') || std::ranges::find(all, word) != all.end()) return;
  const std::string fault = word.empty() ? "a subcommand is missing"
                                         : fmt::format("'{}': unknown subcommand{}", word, suggestion(word, all));
  const std::string also = aliases.empty() ? "" : fmt::format(" (other names: {})", fmt::join(aliases, ", "));
  refuse_usage(fmt::format("{}; expected {}{}", fault, fmt::join(subcommands, ", "), also), "exactdot");
}

void check_options(std::span<const std::string> words, std::span<const std::string> options,
                   const std::string& command) {
  for (const std::string& word : words) {
    if (!word.starts_with('-')) continue;
    const std::string name = word.substr(0, word.find('='));
    refuse_usage(fmt::format("'{}': unknown option of {}{}", word, command, suggestion(name, options)), command);
  }
}

}  // namespace exactdot::cli

// Wrong usage: words of the command line that are neither a subcommand nor an option.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace exactdot::cli {

/// Throws errc::bad_option: "FAULT; see COMMAND --help".
[[noreturn]] void refuse_usage(const std::string& fault, const std::string& command);

/// Throws if the first argument is neither a subcommand, nor another name of one, nor an option; the sentence lists
/// the subcommands. CLI11 accepts such a word before --help.
void check_subcommand(const std::string& word, std::span<const std::string> subcommands,
                      std::span<const std::string> aliases);

/// Throws if one of the words that CLI11 left begins with -: it is not one of the options of this command.
void check_options(std::span<const std::string> words, std::span<const std::string> options,
                   const std::string& command);

}  // namespace exactdot::cli

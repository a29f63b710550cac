// Parser of the command line: returns the subcommand to run, with its arguments.
#pragma once

#include <functional>

namespace exactdot::cli {

/// Returns a function that does what the arguments demand; for --help and --version it prints the text. Throws
/// errc::bad_option with a sentence that names the option, the value and the allowed values.
[[nodiscard]] std::function<void()> parse_command_line(int argument_count, char** arguments);

}  // namespace exactdot::cli

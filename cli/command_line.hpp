// The command line: which subcommand is to run, with which arguments.
#pragma once

#include <functional>

namespace exactdot::cli {

/// What the arguments ask for, ready to run; help and version are answers to be printed. Throws
/// errc::bad_option with a sentence that names the allowed values.
[[nodiscard]] std::function<void()> parse_command_line(int argument_count, char** arguments);

}  // namespace exactdot::cli

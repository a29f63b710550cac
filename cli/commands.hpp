// The subcommands of the program. Each describes its options to the parser and says what to run.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace exactdot::cli {

struct command {
  CLI::App* app;
  std::function<void()> run;  ///< throws exactdot::error
};

command add_dot(CLI::App& program);
command add_generate(CLI::App& program);
command add_info(CLI::App& program);

}  // namespace exactdot::cli

// Subcommands that run experiments: lab, hazards and bench.
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace exactdot::cli {

/// What a subcommand does with its arguments, once they are parsed.
using action = std::function<void()>;

/// Declares the options of a subcommand.
[[nodiscard]] action declare_lab(CLI::App& app);
[[nodiscard]] action declare_hazards(CLI::App& app);
[[nodiscard]] action declare_bench(CLI::App& app);

}  // namespace exactdot::cli

// exactdot exercise: exercises in CUDA, which are a part of the program simtcc (docs/exercises.md).
#pragma once

#include <string>
#include <vector>

namespace exactdot::cli {

/// Replaces this process by `simtcc exercise` with these words. Throws errc::file if no simtcc is found.
[[noreturn]] void run_exercise(const std::vector<std::string>& words);

}  // namespace exactdot::cli

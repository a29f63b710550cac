// simtcc exercise, and exactdot exercise.
#pragma once

#include <string>
#include <vector>

namespace exactdot::simtcc::exercises {

/// Runs the command with the words after `exercise`. `program`: how the user has called it, for messages. Returns
/// the exit status: 0; 1 if the exercise is not solved or a file cannot be used; 2 after a wrong command line.
int run_command(const std::string& program, const std::vector<std::string>& words);

}  // namespace exactdot::simtcc::exercises

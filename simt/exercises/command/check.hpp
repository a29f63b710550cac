// Compiles a learner's file with the check of its exercise, runs it, and says in one message what came out.
#pragma once

#include <string>

#include "catalogue.hpp"

namespace exactdot::simtcc::exercises {

struct check_result {
  bool solved = false;
  std::string text;  // whole lines
};

/// `seconds`: that each of the four groups of runs may take.
check_result check_exercise(const exercise& chosen, const std::string& file, unsigned seconds);

}  // namespace exactdot::simtcc::exercises

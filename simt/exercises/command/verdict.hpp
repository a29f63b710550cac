// Compiles a learner's file with the check of its exercise, runs it, and says in one message what came out.
#pragma once

#include <string>

#include "catalogue.hpp"

namespace exactdot::simtcc::exercises {

struct verdict {
  bool solved = false;
  std::string text;  // whole lines
};

/// `seconds`: that each of the four groups of runs may take.
verdict judge(const exercise& chosen, const std::string& file, unsigned seconds);

}  // namespace exactdot::simtcc::exercises

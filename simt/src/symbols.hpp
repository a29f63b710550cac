// The source line of a place in the program, from its debug information.
#pragma once

#include <string>

namespace exactdot::simt {

struct source_line {
  std::string file;  // "" if not known
  int line = 0;
};

/// The line of a call that returns to this address: the innermost one that is not of the simulator's own headers.
[[nodiscard]] source_line find_line(const void* return_address);

}  // namespace exactdot::simt

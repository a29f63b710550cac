// The source line of a place in the program, from its debug information.
#pragma once

#include <string>

namespace exactdot::simt {

struct source_line {
  std::string file;  // "" if not known
  int line = 0;
  bool operator==(const source_line&) const = default;
};

/// The line of a call that returns to this address: the innermost one that is not of the simulator's own headers.
[[nodiscard]] source_line find_line(const void* return_address);

/// Whether two calls are the same call of the source, inlined into the same others: compilers make copies.
[[nodiscard]] bool same_line(const void* left, const void* right);

}  // namespace exactdot::simt

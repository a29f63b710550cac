// Source lines of code addresses, from the program's debug information (libbacktrace).
#pragma once

#include <string>

#include "call_sites.hpp"
#include "call_stack.hpp"

namespace exactdot::simt {

struct source_line {
  std::string file;  // "" if unknown
  int line = 0;
  bool operator==(const source_line&) const = default;
};

/// In the path of every header of the simulator.
inline constexpr const char* own_headers = "exactdot/simt/";

/// Returns whether a file is a header of the simulator or of the standard library.
[[nodiscard]] bool is_foreign(const std::string& file);

/// Returns the line of the call that returns to this address: of its inlined frames the innermost one outside of
/// such headers.
[[nodiscard]] source_line find_line(const void* return_address);

/// Returns the line in the kernel: of all frames of a call, outermost first, the outermost one outside of such
/// headers.
[[nodiscard]] source_line kernel_line(const call_stack& calls, const void* return_address);

/// Returns whether two return addresses are copies of one source call, inlined through the same lines.
[[nodiscard]] bool same_line(const void* left, const void* right);

}  // namespace exactdot::simt

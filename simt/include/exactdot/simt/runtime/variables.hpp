// The variables of namespaces in files that simtcc compiled: what is the device's, and what the host's.
//
// simtcc adds an entry to a section of the program after each declaration (register_variables.cpp in simt/cc). On a
// GPU the two have memories of their own; here all are variables of the program, told apart by this table.
#pragma once

#include <cstddef>

namespace exactdot::simt::detail {

struct program_variable {
  const volatile void* address;
  std::size_t bytes;
  const char* name;
  const char* keyword;  ///< "__device__", "__constant__"; "" for a variable of the host
};

}  // namespace exactdot::simt::detail

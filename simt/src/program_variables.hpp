// The variables that simtcc has listed (exactdot/simt/runtime/variables.hpp), by address.
#pragma once

#include <cstdint>
#include <exactdot/simt/runtime/variables.hpp>

namespace exactdot::simt {

/// Returns the listed variable that contains the address; null if there is none, as in programs of other compilers.
const detail::program_variable* find_program_variable(std::uintptr_t address);

/// Returns whether a listed variable of the host contains the address: kernels may not use it.
inline bool is_host_variable(std::uintptr_t address) {
  const detail::program_variable* const found = find_program_variable(address);
  return found != nullptr && *found->keyword == '\0';
}

/// Returns whether a listed variable of the device contains the address: the host has one of its own under the
/// name.
inline bool is_device_variable(std::uintptr_t address) {
  const detail::program_variable* const found = find_program_variable(address);
  return found != nullptr && *found->keyword != '\0';
}

}  // namespace exactdot::simt

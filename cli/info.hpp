// exactdot info: instruction sets, GPUs and libraries of this build and this machine.
#pragma once

namespace exactdot::cli {

/// Prints the information. Throws exactdot::error.
void run_info(bool json);

}  // namespace exactdot::cli

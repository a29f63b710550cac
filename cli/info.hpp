// exactdot info: what this build and this machine can do.
#pragma once

namespace exactdot::cli {

/// Throws exactdot::error.
void run_info(bool json);

}  // namespace exactdot::cli

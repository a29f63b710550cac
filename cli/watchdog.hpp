// Watchdog: runs this program in a child process and ends the child after a time limit.
//
// For kernels that may not terminate: a running kernel can be stopped only by ending the process that launched it.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace exactdot::cli {

struct process_result {
  std::optional<int> status;  ///< exit status; null: ended by a signal
  int signal = 0;             ///< signal that ended it, including the watchdog's SIGKILL; 0: none
  bool timed_out = false;     ///< the watchdog ended it
  std::string output;         ///< standard output
};

/// Runs this program, or another `program`, with these arguments. The child shares standard error. Throws
/// std::system_error if it cannot be started.
[[nodiscard]] process_result run_with_time_limit(const std::vector<std::string>& arguments,
                                                 std::chrono::milliseconds time_limit,
                                                 const std::string& program = "/proc/self/exe");

}  // namespace exactdot::cli

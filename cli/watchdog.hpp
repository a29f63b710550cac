// A watchdog: runs this program again in a process of its own, and ends that process when it takes too long.
//
// For kernels that may never end. Nothing stops a kernel but the end of the process that launched it.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace exactdot::cli {

struct watched {
  std::optional<int> status;  ///< of the exit; null: ended by a signal
  int signal = 0;             ///< that ended it, its own or the watchdog's SIGKILL; 0: none
  bool too_long = false;      ///< the watchdog ended it
  std::string output;         ///< standard output
};

/// Runs this program with other arguments, or another `program`. Standard error is shared. Throws std::system_error
/// when no process can be started.
[[nodiscard]] watched run_watched(const std::vector<std::string>& arguments, std::chrono::milliseconds at_most,
                                  const std::string& program = "/proc/self/exe");

}  // namespace exactdot::cli

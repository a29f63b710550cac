// Ctrl-C and its like: the program ends cleanly, temporary files removed, with status 128 + the signal.
//
// The signal handler only raises monitor::cancel; whoever computes or writes sees it soon and throws
// errc::cancelled. Signals that were ignored when the program started (nohup) stay ignored.
#pragma once

#include <exactdot/options.hpp>

namespace exactdot::cli {

/// Handles SIGINT, SIGTERM and SIGHUP, and ignores SIGPIPE and SIGXFSZ, so that a closed pipe and a file size limit
/// become write errors: reported, and cleaned up after, like a full disk.
void install_signal_handlers();

/// The monitor of whatever the program does; its `cancel` is what the signals set.
[[nodiscard]] exactdot::monitor& program_monitor();

/// The exit status after a signal: 128 + its number.
[[nodiscard]] int interrupted_status();

/// While one exists, a signal ends the process at once. For other people's code, which asks no monitor; only
/// where nothing needs to be cleaned up.
class end_at_once {
 public:
  end_at_once();
  ~end_at_once();
  end_at_once(const end_at_once&) = delete;
  end_at_once& operator=(const end_at_once&) = delete;
};

}  // namespace exactdot::cli

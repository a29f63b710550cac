// Signals: after SIGINT, SIGTERM or SIGHUP the program removes temporary files and exits with status 128 + signal.
//
// The signal handler only sets monitor::cancel. Computations and writers poll it and throw errc::cancelled. Signals
// that were ignored when the program started (nohup) remain ignored.
#pragma once

#include <exactdot/options.hpp>

namespace exactdot::cli {

/// Installs the handler of SIGINT, SIGTERM and SIGHUP. Ignores SIGPIPE and SIGXFSZ, so that a closed pipe and a
/// file size limit are write errors like a full disk.
void install_signal_handlers();

/// SIGPIPE and SIGXFSZ as they were: exec keeps what is ignored, and other programs are to end by them.
void restore_ignored_signals();

/// Returns the monitor of the program, whose `cancel` the signal handler sets.
[[nodiscard]] exactdot::monitor& program_monitor();

/// Returns the exit status after a signal: 128 + its number.
[[nodiscard]] int interrupted_status();

/// While an object exists, a signal ends the process immediately. For code that polls no monitor, such as other
/// libraries, if there are no temporary files.
class immediate_exit {
 public:
  immediate_exit();
  ~immediate_exit();
  immediate_exit(const immediate_exit&) = delete;
  immediate_exit& operator=(const immediate_exit&) = delete;
};

}  // namespace exactdot::cli

// Long computations leave the calling thread, so that Ctrl-C reaches it: Python's signal handlers run in the main
// thread alone, and only where it looks for them.
#pragma once

#include <cstddef>
#include <exactdot/options.hpp>
#include <functional>

namespace exactdot::python {

/// From this length on a call runs on a worker. Shorter ones end within a second even if their vectors are read
/// from a disk (256 MB), and the worker's start and end would be some per cent of their time.
std::size_t min_long_call();

/// From here on (once, when the module is loaded) a forked child is known for one: whoever used OpenMP before the
/// fork, the team of the child's first thread is gone, and a call that needs one goes to a worker, whose team is
/// new.
void watch_forks();

/// Runs work(monitor) on a thread of its own while this one, which holds the GIL on entry and on return, releases
/// it and looks for signals. A signal whose handler raises sets monitor.cancel; its exception is thrown as
/// nb::python_error once the work has ended. What the work throws is thrown here. False, and nothing done, where
/// the system has no thread for it.
bool run_interruptibly(const std::function<void(monitor&)>& work);

}  // namespace exactdot::python

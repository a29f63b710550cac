// Runs long computations on worker threads, so that Ctrl-C can end them.
//
// Python runs signal handlers in the main thread only, and only when it polls for them. The calling thread polls
// while a worker computes. Cost: waking a worker, some microseconds.
#pragma once

#include <cstddef>
#include <exactdot/options.hpp>
#include <functional>

namespace exactdot::python {

/// The length from which on a call runs on a worker. Shorter calls end within a second even if they read their
/// vectors (256 MB) from a disk, and a worker would add some per cent to their time.
inline constexpr std::size_t min_long_call = std::size_t{1} << 24;

/// Makes forked children detect that they are forks, without their parent's workers; called once, when the module
/// is loaded.
void register_fork_handler();

/// Runs work(monitor) on a worker; the calling thread releases the GIL and polls for signals meanwhile. If a signal
/// handler raises, monitor.cancel is set, and the handler's exception is thrown as nb::python_error after the work
/// has ended. Rethrows what the work throws. Returns false, without running the work, if the system has no thread
/// left. The GIL is held on entry and on return.
bool run_interruptibly(const std::function<void(monitor&)>& work);

}  // namespace exactdot::python

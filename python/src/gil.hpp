// Releases the GIL, like nb::gil_scoped_release, safely in daemon threads that outlive the interpreter.
//
// A daemon thread that requests the GIL during finalization never gets it. Before 3.14, Python ends such a thread
// with pthread_exit, whose unwinding runs C++ destructors without the GIL and aborts the process. These classes let
// the thread sleep until the process exits, as Python 3.14 does, and keep the objects it holds. The thread that
// finalizes Python, which may call from finalizers, gets the GIL back.
#pragma once

#include <cxxabi.h>
#include <nanobind/nanobind.h>

#include <chrono>
#include <thread>

namespace exactdot::python {

/// Detects that finalization began after its construction. In the thread that finalizes Python, finalization began
/// before the construction, so it detects nothing there.
class finalization_watch {
 public:
  void sleep_if_python_ends() const {
    if (!finalizes_ && is_finalizing()) sleep_forever();
  }
  [[noreturn]] static void sleep_forever() {
    for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
  }

 private:
  /// Py_IsFinalizing is not in the limited API of 3.12; Py_FinalizeEx clears this as it begins.
  static bool is_finalizing() { return Py_IsInitialized() == 0; }

  bool finalizes_ = is_finalizing();
};

/// For functions that call Python code while they own Python objects; declared after these objects. Python code may
/// release the GIL. If Python ends the thread there, unwinding stops at this guard, before the objects are
/// released without the GIL.
class finalization_guard {
 public:
  finalization_guard() = default;
  finalization_guard(const finalization_guard&) = delete;
  finalization_guard& operator=(const finalization_guard&) = delete;
  ~finalization_guard() { watch_.sleep_if_python_ends(); }

 private:
  finalization_watch watch_;
};

class gil_release {
 public:
  gil_release() : state_(PyEval_SaveThread()) {}
  gil_release(const gil_release&) = delete;
  gil_release& operator=(const gil_release&) = delete;
  ~gil_release() {
    watch_.sleep_if_python_ends();
    try {
      PyEval_RestoreThread(state_);
    } catch (const abi::__forced_unwind&) {  // finalization began while this thread waited
      finalization_watch::sleep_forever();
    }
  }

 private:
  finalization_watch watch_;  // initialised before the GIL is released
  PyThreadState* state_;
};

}  // namespace exactdot::python

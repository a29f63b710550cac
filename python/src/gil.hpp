// Letting go of the GIL, as nb::gil_scoped_release does, in threads that may outlive the interpreter.
//
// A daemon thread that asks for the GIL while Python is ending never gets it: before 3.14 Python ends such a thread
// with pthread_exit, which unwinds its stack through our destructors and aborts the process. Here it sleeps until
// the process is gone, as Python 3.14 does it, and everything it holds stays where it is. The thread that ends
// Python, in which finalisers may call, does get the GIL back.
#pragma once

#include <cxxabi.h>
#include <nanobind/nanobind.h>

#include <chrono>
#include <thread>

namespace exactdot::python {

/// Notices that Python began to end since it was made. Not in the thread that ends Python: that had the GIL when
/// the end had begun, and has it in all finalisers.
class watch_for_the_end {
 public:
  void sleep_if_it_came() const {
    if (!this_thread_ends_python_ && python_is_ending()) sleep_forever();
  }
  [[noreturn]] static void sleep_forever() {
    for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
  }

 private:
  static bool python_is_ending() {
#if PY_VERSION_HEX >= 0x030d0000
    return Py_IsFinalizing() != 0;
#else
    return _Py_IsFinalizing() != 0;
#endif
  }

  bool this_thread_ends_python_ = python_is_ending();
};

/// For functions that call Python code while they own Python's objects; declared after these. Python code lets go
/// of the GIL at times, and if Python ends this thread there, the unwinding stops at this object instead of letting
/// go of the others without the GIL.
class stop_at_end {
 public:
  stop_at_end() = default;
  stop_at_end(const stop_at_end&) = delete;
  stop_at_end& operator=(const stop_at_end&) = delete;
  ~stop_at_end() { watch_.sleep_if_it_came(); }

 private:
  watch_for_the_end watch_;
};

class gil_release {
 public:
  gil_release() : state_(PyEval_SaveThread()) {}
  gil_release(const gil_release&) = delete;
  gil_release& operator=(const gil_release&) = delete;
  ~gil_release() {
    watch_.sleep_if_it_came();
    try {
      PyEval_RestoreThread(state_);
    } catch (const abi::__forced_unwind&) {  // it came while this thread waited
      watch_for_the_end::sleep_forever();
    }
  }

 private:
  watch_for_the_end watch_;  // made before the GIL goes
  PyThreadState* state_;
};

}  // namespace exactdot::python

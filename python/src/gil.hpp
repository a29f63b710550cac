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

class gil_release {
 public:
  gil_release() : this_thread_ends_python_(python_is_ending()), state_(PyEval_SaveThread()) {}
  gil_release(const gil_release&) = delete;
  gil_release& operator=(const gil_release&) = delete;
  ~gil_release() {
    if (!this_thread_ends_python_ && python_is_ending()) sleep_forever();
    try {
      PyEval_RestoreThread(state_);
    } catch (const abi::__forced_unwind&) {  // the end began while this thread waited
      sleep_forever();
    }
  }

 private:
  static bool python_is_ending() {
#if PY_VERSION_HEX >= 0x030d0000
    return Py_IsFinalizing() != 0;
#else
    return _Py_IsFinalizing() != 0;
#endif
  }

  [[noreturn]] static void sleep_forever() {
    for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
  }

  bool this_thread_ends_python_;  // it had the GIL when the end had begun
  PyThreadState* state_;
};

}  // namespace exactdot::python

// Implementation of exceptions.hpp.
#include <nanobind/nanobind.h>

#include <new>
#include <python/src/exceptions.hpp>

namespace exactdot::python {

void raise_error(errc code, const char* sentence) {
  PyObject* kind = PyExc_RuntimeError;
  switch (code) {
    case errc::headroom:
    case errc::overflow:
      kind = PyExc_OverflowError;
      break;
    case errc::size_mismatch:
    case errc::bad_option:
    case errc::empty_input:
    case errc::null_pointer:
      kind = PyExc_ValueError;
      break;
    default:
      break;
  }
  PyErr_SetString(kind, sentence);
}

void raise_current_exception() {
  try {
    throw;
  } catch (nanobind::python_error& raised) {
    raised.restore();
  } catch (const nanobind::builtin_exception& raised) {
    PyErr_SetString(raised.type() == nanobind::exception_type::type_error ? PyExc_TypeError : PyExc_ValueError,
                    raised.what());
  } catch (const error& failure) {
    raise_error(failure.code(), failure.what());
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& failure) {
    PyErr_SetString(PyExc_RuntimeError, failure.what());
  }
}

}  // namespace exactdot::python

// The function check of the package.
#pragma once

#include <Python.h>

namespace exactdot::python {

/// check(x, *, stream=None), for METH_VARARGS | METH_KEYWORDS.
PyObject* check_entry(PyObject* module, PyObject* arguments, PyObject* keywords);

}  // namespace exactdot::python

// Types of objects that are known, so that an object needs no search for protocols, and nothing is imported.
#pragma once

#include <nanobind/nanobind.h>

namespace exactdot::python {

/// An attribute of a module, cached in `cache`; null while the module is not imported, when no object can have one
/// of its types. Does not import it: an import may release the GIL in the middle of a call.
PyObject* loaded_attribute(PyObject*& cache, const char* module, const char* name);

/// object.name, or an invalid object on AttributeError. Any other exception is thrown.
nanobind::object find_attribute(PyObject* object, const char* name);

/// The way in for objects of a type: those that are known need no search for protocols.
enum class way_in : unsigned char { search, buffer, time, torch, polars, arrow_chunks, arrow, pandas };

/// That of this object's type, remembered for the last types, which are kept alive.
way_in way_in_of(PyObject* object);

/// Whether its type is numpy.ndarray.
bool is_numpy_array(PyObject* object);

/// Whether it is a numpy.bool.
bool is_numpy_bool(PyObject* object);

/// The type numpy.float64, borrowed; null while NumPy is not imported.
PyObject* numpy_float64();

}  // namespace exactdot::python

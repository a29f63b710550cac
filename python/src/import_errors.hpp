// The reasons for which objects are not vectors that more than one protocol shares (imported_array.cpp).
#pragma once

#include <python/src/element_formats.hpp>
#include <python/src/imported_array.hpp>

namespace exactdot::python {

inline invalid_array masked_array() { return {true, "is a masked array; fill or compress it first"}; }

inline invalid_array not_an_array() {
  return {true, "is not a vector; use a 1-D vector of " + element_type_names() +
                    " with the buffer protocol (NumPy, array.array, memoryview), DLPack or "
                    "__cuda_array_interface__ (PyTorch, CuPy, JAX), or an object that NumPy converts to one"};
}

inline invalid_array wrong_type(const std::string& found) {
  return {true, "elements are " + found + ", not " + element_type_names()};
}

/// "float32" for an array with a dtype of that name; empty for an object without one.
std::string dtype_name(PyObject* array);

}  // namespace exactdot::python

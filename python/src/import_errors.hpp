// The reasons for which objects are not vectors that more than one protocol shares (imported_array.cpp).
#pragma once

#include <python/src/element_formats.hpp>
#include <python/src/imported_array.hpp>

namespace exactdot::python {

inline invalid_array masked_array() { return {true, "is a masked array; fill or compress it first"}; }

/// One rule for nulls: a null has no value, so no result is right for it. NaN is a value.
inline invalid_array holds_nulls(std::int64_t count, std::int64_t first, std::int64_t length) {
  if (count == length) return {false, "holds nulls alone, " + std::to_string(count) + ": no element has a value"};
  return {false, "holds " + std::to_string(count) + (count == 1 ? " null, at" : " nulls, the first at") +
                     " index " + std::to_string(first) + "; drop or fill nulls first"};
}

inline invalid_array not_an_array() {
  return {true, "is not a vector in memory; lists and numbers are not allowed here; use a vector of " +
                    element_type_names() +
                    " with the buffer protocol (NumPy, array.array, memoryview), DLPack or "
                    "__cuda_array_interface__ (PyTorch, CuPy)"};
}

inline invalid_array wrong_type(const std::string& found) {
  const bool are_objects = found == "of dtype object" || found.starts_with("of Arrow's format 'd:");
  const char* const hint = are_objects ? "; a list of the numbers is read one by one, exactly" : "";
  return {true, "elements are " + found + ", not " + element_type_names() + hint};
}

/// "float32" for an array with a dtype of that name; empty for an object without one.
std::string dtype_name(PyObject* array);

}  // namespace exactdot::python

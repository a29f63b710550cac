// Keyword arguments of a call as values. Inline: the shortest calls look at them, too.
#pragma once

#include <python/src/arguments.hpp>
#include <python/src/keywords.hpp>

namespace exactdot::python {

/// Whether a keyword argument is true; false if it was not passed.
inline bool is_true(const call_arguments& given, parameter which, const char* caller) {
  PyObject* const value = given.keywords[which];
  return value != nullptr && read_bool(value, name_of_parameter(which), caller);
}

/// The value of a keyword argument; `default_value` if it was not passed.
inline nb::handle keyword(const call_arguments& given, parameter which, nb::handle default_value) {
  PyObject* const value = given.keywords[which];
  return value != nullptr ? nb::handle(value) : default_value;
}

inline bool is_given(const call_arguments& given, parameter which) {
  return !keyword(given, which, Py_None).is_none();
}

}  // namespace exactdot::python

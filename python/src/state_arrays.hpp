// States of rows, columns, segments and groups as int64 arrays of shape (..., words): what the functions of
// exactdot/_states.py call.
#pragma once

#include <nanobind/nanobind.h>

#include <exactdot/state_format.hpp>
#include <string>

namespace exactdot::python {

/// A reduction by the name of its function. Throws ValueError, in the name of the function `name`.
[[nodiscard]] reduction read_reduction(nanobind::handle given, const std::string& name,
                                       const char* argument = "reduction");
[[nodiscard]] inline state_form form_of(bool compact) { return compact ? state_form::compact : state_form::full; }

void bind_state_arrays(nanobind::module_& module);
void bind_state_words(nanobind::module_& module);      ///< state_words.cpp
void bind_exact_arguments(nanobind::module_& module);  ///< exact_arguments.cpp

}  // namespace exactdot::python

// dot and the reductions of one vector, as functions of the module.
#pragma once

#include <nanobind/nanobind.h>

#include <python/src/reduction_table.hpp>

namespace exactdot::python {

/// What a function of the table returns for the arguments of a call. Throws as the library and nanobind.
nanobind::object compute(const reduction_function& function, const call_arguments& given);

/// The same; an error of the library has the name that the function has in Python.
nanobind::object compute_named(const reduction_function& function, const call_arguments& given);

void bind_reductions(nanobind::module_& module);

}  // namespace exactdot::python

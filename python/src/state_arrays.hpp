// States of rows, columns, segments and groups as int64 arrays of shape (..., words): what the functions of
// exactdot/_states.py call.
#pragma once

#include <nanobind/nanobind.h>

namespace exactdot::python {

void bind_state_arrays(nanobind::module_& module);

}  // namespace exactdot::python

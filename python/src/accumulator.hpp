// The Python class Accumulator: one class for all element types, so annotations, pickles and isinstance need one
// name.
#pragma once

#include <nanobind/nanobind.h>

namespace exactdot::python {

void bind_accumulator(nanobind::module_& module);

}  // namespace exactdot::python

// The class Accumulator: one Python type for the accumulators of all element types, so that annotations, pickles
// and isinstance need one name.
#pragma once

#include <nanobind/nanobind.h>

namespace exactdot::python {

void bind_accumulator(nanobind::module_& module);

}  // namespace exactdot::python

// The class Accumulator.
#pragma once

#include <nanobind/nanobind.h>

namespace exactdot::python {

void bind_accumulator(nanobind::module_& module);

}  // namespace exactdot::python

// dot and the reductions of one vector, as functions of the module.
#pragma once

#include <nanobind/nanobind.h>

namespace exactdot::python {

void bind_reductions(nanobind::module_& module);

}  // namespace exactdot::python

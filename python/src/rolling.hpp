// cumsum and rolling_sum, rolling_mean, rolling_var, rolling_std (exactdot/_rolling.py): windows along one axis.
#pragma once

#include <nanobind/nanobind.h>

namespace exactdot::python {

void bind_rolling(nanobind::module_& module);

}  // namespace exactdot::python

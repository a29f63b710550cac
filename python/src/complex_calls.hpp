// Calls with complex elements, which exactdot/_complex.py computes. Only what the engine has refused comes here, so
// calls with real elements cost nothing more.
#pragma once

#include <nanobind/nanobind.h>

#include <python/src/reduction_table.hpp>
#include <python/src/vectors.hpp>

namespace exactdot::python {

/// Whether an input holds complex elements, and the reduction has a meaning for them.
bool has_complex_elements(const reduction_function& function, const call_arguments& given);

/// `read`: the inputs as far as they were read, as an iterator is at its end then.
nanobind::object compute_complex(const reduction_function& function, const call_arguments& given,
                                 const vectors& read);

}  // namespace exactdot::python

// Calls with complex elements: of whole vectors by the library (exactdot/complex.hpp), others by exactdot/_complex.py.
// Only what the engine has refused comes here, so calls with real elements cost nothing more.
#pragma once

#include <nanobind/nanobind.h>

#include <python/src/reduction_table.hpp>
#include <python/src/vectors.hpp>

namespace exactdot::python {

/// Whether an input holds complex elements, and the reduction has a meaning for them.
bool has_complex_elements(const reduction_function& function, const call_arguments& given);

/// The call on vectors of NumPy's complex numbers that passes nothing else, by the library; nothing for another one.
nanobind::object compute_complex_vectors(const reduction_function& function, const call_arguments& given);

/// `read`: the inputs as far as they were read, as an iterator is at its end then.
nanobind::object compute_complex(const reduction_function& function, const call_arguments& given,
                                 const vectors& read);

}  // namespace exactdot::python

// The norm of a list of arrays, as of the gradients of a model: one exact sum of squares over all, and one
// rounding.
//
// Each array adds to an exact state, so the arrays may have any shapes and strides, and floating-point types whose
// states are the same. In GPU memory the state stays there until the end: one launch an array, one wait.
#pragma once

#include <exactdot/options.hpp>
#include <python/src/imported_array.hpp>

namespace exactdot::python {

/// Whether `x` is a list or tuple whose first element exports DLPack or __cuda_array_interface__, which numbers,
/// lists and NumPy's scalars do not.
[[nodiscard]] bool is_list_of_arrays(nb::handle x);

/// Handles as they were passed, None if they were not.
struct list_call {
  const char* caller;
  nb::handle x;
  options chosen;
  nb::handle dtype, out, stream;
};

/// A float, or `out`. Throws TypeError for element types that do not mix; ValueError for arrays on several devices.
nb::object norm_of_arrays(const list_call& call);

}  // namespace exactdot::python

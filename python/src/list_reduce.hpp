// Reductions of lists of arrays, as of the gradients of a model: list_norm(x), one result for each array, or one
// for the elements of all, which norm(x) of a list is, too.
//
// The arrays may have any shapes and strides. One result of all is an exact sum that is rounded once, so element
// types may differ as far as one exact state holds them. In GPU memory all are one call of cuda/lists.hpp; of those
// that it does not take (squares of 64-bit integers, arrays of very many separate stretches) each is one.
#pragma once

#include <exactdot/options.hpp>
#include <exactdot/reduction.hpp>
#include <python/src/imported_array.hpp>

namespace exactdot::python {

/// Whether `x` is a list or tuple whose first element exports DLPack or __cuda_array_interface__, which numbers,
/// lists and NumPy's scalars do not.
[[nodiscard]] bool is_list_of_arrays(nb::handle x);

/// Handles as they were passed, None if they were not.
struct list_call {
  const char* caller;
  reduction what;  ///< sum, asum, sum_of_squares or nrm2
  nb::handle x;
  bool joined;  ///< one result
  options chosen;
  nb::handle dtype, out, stream;
};

/// A number, an array of a result for each array, or `out`. Throws TypeError for element types that do not mix;
/// ValueError for arrays on several devices.
nb::object reduce_list(const list_call& call);

}  // namespace exactdot::python

// Calls with complex elements, as far as they differ from others: in host memory vectors, `out` and what is refused;
// calls on a GPU's memory, by exactdot/_complex_on_gpu.py. Calls with real elements pay one comparison.
#pragma once

#include <python/src/reduction_call.hpp>

namespace exactdot::python {

/// Checks what a call on host memory, whose inputs are located, passes for complex elements. Throws TypeError.
void prepare_complex(const reduction_function& function, const call_arguments& given, vectors& inputs);

/// Locates `out`, which is complex where results are. Throws TypeError.
void locate_complex_out(const reduction_call& call, imported_array& out);

/// The call on one vector, or on two, in host memory.
nb::object call_on_complex(const reduction_call& call);

/// Whether an input holds complex elements in GPU memory, and the function takes them.
bool has_complex_on_gpu(const reduction_function& function, const call_arguments& given);
nb::object compute_complex_on_gpu(const reduction_function& function, const call_arguments& given);

}  // namespace exactdot::python

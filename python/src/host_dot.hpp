// Dot products of vectors in host memory, of any stride and either byte order.
//
// Where a call lets go of the GIL, and where it leaves its thread, is decided here and nowhere else: short ones do
// neither, long ones both, so that others run and Ctrl-C ends them.
#pragma once

#include <exactdot/accumulator.hpp>
#include <exactdot/options.hpp>
#include <python/src/operand.hpp>

namespace exactdot::python {

/// a·b rounded to `result`, as a double, which holds every float. a and b of the same type and length, in host
/// memory. With the GIL held on entry and on return. A view that is not packed is packed piece by piece: 128 KiB of
/// extra memory a thread (16 MiB when options.device is cuda).
double host_dot(const operand& a, const operand& b, dtype result, const options& options);

/// sum += a·b, or the sum of a where b is null; nothing is added if it throws.
template <element T>
void host_add(accumulator<T>& sum, const operand& a, const operand* b, const options& options);

extern template void host_add(accumulator<float>&, const operand&, const operand*, const options&);
extern template void host_add(accumulator<double>&, const operand&, const operand*, const options&);

}  // namespace exactdot::python

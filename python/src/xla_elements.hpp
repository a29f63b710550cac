// Element by element: the products, quotients and differences of which derivatives of reductions consist.
//
// XLA's own depend on what surrounds them: within a compiled program it multiplies by the reciprocal of a divisor,
// and makes one multiply-add of a product and a sum. Here an element is the real number, rounded once.
#pragma once

#include <python/src/xla_ffi.hpp>

namespace exactdot::python {

enum class element_operation : unsigned char { product, quotient, difference };

/// Of floating-point arrays whose dimensions of length 1 fit any length; with one input the number of the call is
/// the other. A quotient by 0 is 0: a derivative that does not exist.
void compute_elements(element_operation operation, const xla::call_frame& call);

}  // namespace exactdot::python

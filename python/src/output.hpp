// The argument `out`: an array of one element that receives the result.
#pragma once

#include <exactdot/views.hpp>
#include <python/src/vectors.hpp>

namespace exactdot::python {

/// Locates `out`, or the argument with that name; check_out follows. Throws TypeError or ValueError.
void locate_out(nb::handle given, const vectors& inputs, imported_array& out, const char* name = "out");

/// Checks that `out` is a writable element on the vectors' device, of the type dtype if that is not None.
void check_out(nb::handle dtype, const vectors& inputs, const imported_array& out);

/// The same for an array of any number of elements.
void check_out_type(nb::handle dtype, const vectors& inputs, const imported_array& out, const char* name = "out");

/// Stores a value that has the element type of `out`, or of a part of it, in host memory, `offset` bytes from its first
/// element.
void store(const any_scalar& value, const imported_array& out, std::ptrdiff_t offset = 0);

}  // namespace exactdot::python

// The class Accumulator, and the import of a pair of GPU vectors that it shares with dot.
#pragma once

#include <nanobind/nanobind.h>

#include <python/src/operand.hpp>
#include <python/src/stream.hpp>

namespace exactdot::python {

void bind_accumulator(nb::module_& module);

/// Chooses the stream and imports a, b and, unless null, out on it; then the check of the pair.
stream_choice import_pair(operand& a, operand& b, operand* out, nb::handle stream, const char* what);

}  // namespace exactdot::python

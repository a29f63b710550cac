// The keyword arguments of dot and of Accumulator, from Python's values, and the check of a pair of vectors.
#pragma once

#include <exactdot/options.hpp>
#include <optional>
#include <python/src/operand.hpp>

namespace exactdot::python {

/// "float32", "float64", or a dtype or type of NumPy, PyTorch, … with such a name. `what` names it in messages.
dtype read_dtype(nb::handle value, const char* what);

/// mode, threads and device ("auto", "cpu", "cuda", "cuda:N"). Throws ValueError or TypeError.
options read_options(nb::handle mode, int threads, nb::handle device);

/// a and b located and found to be a pair: both 1-D, on one device, on a GPU imported on `stream` by the caller.
/// Throws TypeError or ValueError that names both sides.
void locate_pair(nb::handle first, nb::handle second, operand& a, operand& b, const char* what);

/// Dimensions, element types, lengths and devices of two imported vectors fit.
void check_pair(const operand& a, const operand& b, const char* what);

/// Throws the refusal as TypeError or ValueError with both sides named.
[[noreturn]] void refuse_pair(const refusal& refused, PyObject* a, PyObject* b, const char* what);

}  // namespace exactdot::python

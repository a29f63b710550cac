// The keyword arguments of dot and of Accumulator, from Python's values, and the check of a pair of vectors.
//
// `what` is the name of the call, with which every message begins. All of these are called with the GIL held.
#pragma once

#include <exactdot/options.hpp>
#include <python/src/operand.hpp>
#include <python/src/stream.hpp>

namespace exactdot::python {

/// Throws TypeError or ValueError.
[[noreturn]] void throw_python(bool is_type_error, const std::string& sentence);

/// "float32", "float64", or a dtype or type of NumPy, PyTorch, … with such a name.
element_type read_dtype(nb::handle value, const char* what);

/// mode, threads and device ("auto", "cpu", "cuda", "cuda:N"). Throws ValueError or TypeError.
options read_options(nb::handle mode, int threads, nb::handle device, const char* what);

/// A stream was given for vectors in host memory, which none computes. Throws ValueError.
void refuse_stream(nb::handle stream, const operand& a, const char* what);

/// a and b located, both on a CPU or both on GPUs; check_pair or import_pair does the rest. Throws TypeError or
/// ValueError that names both sides.
void locate_pair(nb::handle first, nb::handle second, operand& a, operand& b, const char* what);

/// Dimensions, element types, lengths and devices of two imported vectors fit.
void check_pair(const operand& a, const operand& b, const char* what);

/// Two vectors in a GPU's memory, and out unless it is null: the stream chosen, all imported on it, the pair
/// checked.
stream_choice import_pair(operand& a, operand& b, operand* out, const options& options, nb::handle stream,
                          const char* what);

/// Throws the refusal as TypeError or ValueError with both sides named.
[[noreturn]] void refuse_pair(const refusal& refused, PyObject* a, PyObject* b, const char* what);

}  // namespace exactdot::python

// Converts and checks the arguments of dot and Accumulator.add.
//
// Both functions share this code, so the same mistake gives the same message. A message begins with the function's
// name (`caller`) and ends with a description of both vectors. All functions are called with the GIL held.
#pragma once

#include <exactdot/options.hpp>
#include <python/src/imported_array.hpp>
#include <python/src/stream.hpp>

namespace exactdot::python {

/// Throws TypeError or ValueError.
[[noreturn]] void throw_python(bool is_type_error, const std::string& sentence);

/// Accepts the name of an element type, and a dtype or type of NumPy, PyTorch, … with such a name.
element_type read_dtype(nb::handle value, const char* caller);

/// mode, threads and device ("auto", "cpu", "cuda", "cuda:N"). Throws ValueError or TypeError.
options read_options(nb::handle mode, int threads, nb::handle device, const char* caller);

/// Throws ValueError if a stream was passed for a vector in host memory.
void refuse_stream(nb::handle stream, const imported_array& a, const char* caller);

/// Locates a and b, which must both be in host memory or both in GPU memory; check_pair or import_pair follows.
/// Throws TypeError or ValueError.
void locate_pair(nb::handle first, nb::handle second, imported_array& a, imported_array& b, const char* caller);

/// Checks that two imported vectors have one dimension, and the same element type, length and device.
void check_pair(const imported_array& a, const imported_array& b, const char* caller);

/// For vectors in GPU memory, and `out` unless it is null: chooses the stream, imports all on it, checks the pair.
stream_choice import_pair(imported_array& a, imported_array& b, imported_array* out, const options& options,
                          nb::handle stream, const char* caller);

/// Throws TypeError or ValueError with a description of both vectors.
[[noreturn]] void refuse_pair(const invalid_array& refused, PyObject* a, PyObject* b, const char* caller);

}  // namespace exactdot::python

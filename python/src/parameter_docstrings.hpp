// The sections Parameters and Raises of the docstrings of the reductions.
#pragma once

#include <python/src/function_texts.hpp>
#include <python/src/keywords.hpp>
#include <string>

namespace exactdot::python {

/// What follows the names of the inputs.
inline constexpr const char* element_types_text =
    R"( of floats of 8 (float8_e4m3fn, float8_e5m2) to 64 bits, or of integers of 8 to 64 bits
    Any object with the buffer protocol (NumPy, array.array, memoryview), DLPack or __cuda_array_interface__
    (PyTorch, CuPy, JAX), with any stride and byte order; columns of pandas, Polars and PyArrow without nulls; lists,
    tuples and iterators of numbers, int of any size, Decimal and Fraction among them, which are read exactly; other
    objects as numpy.asarray converts them. Booleans count as 0 and 1. Contiguous vectors in native byte order and
    vectors in GPU memory are read in place; others are copied in chunks, through 128 KiB per thread. Do not write to
    them during the call.
)";

/// The keyword parameters of a function.
std::string keywords_text(const function_signature& signature, const function_text& text);

std::string raises_text(const function_signature& signature, const function_text& text);

}  // namespace exactdot::python

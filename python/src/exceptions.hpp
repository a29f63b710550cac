// Raises the Python exceptions that correspond to C++ exceptions.
#pragma once

#include <exactdot/error.hpp>
#include <exception>
#include <string>

namespace exactdot::python {

/// Raises the exception of an exactdot::error: ValueError, OverflowError or RuntimeError.
void raise_error(errc code, const char* sentence);

/// The sentence with another way out after its last semicolon.
std::string with_way_out(std::string sentence, const std::string& way_out);

/// Raises the exception in flight; for functions that Python calls directly. Call in a handler of std::exception.
void raise_current_exception();

}  // namespace exactdot::python

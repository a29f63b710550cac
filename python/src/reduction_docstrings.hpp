// The docstrings of dot and the reductions of one vector, in numpydoc format, composed of shared parts.
//
// The build copies them into the type stubs, _engine.pyi, for editors and type checkers. tests/python runs every
// example.
#pragma once

#include <python/src/keywords.hpp>
#include <string>

namespace exactdot::python {

/// The docstring of the function of this name, without the signature.
std::string reduction_docstring(const function_signature& signature);

}  // namespace exactdot::python

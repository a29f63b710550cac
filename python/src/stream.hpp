// On which stream a call with vectors in a GPU's memory runs.
//
// No framework is imported for that: one whose array comes along is loaded, and is asked for its current stream.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <python/src/operand.hpp>
#include <string>

namespace exactdot::python {

struct stream_choice {
  std::intptr_t handle = 0;  // cudaStream_t; 0 is the legacy default stream
  std::string framework;     // whose current stream it is: "torch", "cupy", or empty
};

/// The one given (an integer, or an object with __cuda_stream__, .cuda_stream or .ptr); else the current stream of
/// PyTorch or CuPy, if one of the operands, looked at in this order, is theirs; else what an operand's
/// __cuda_array_interface__ names; else the legacy default stream.
stream_choice choose_stream(nb::handle given, std::initializer_list<const operand*> operands, const char* what);

/// DLPack's and CuPy's 1 is the legacy default stream, as is CUDA's 0.
constexpr std::intptr_t plain_stream(std::intptr_t handle) { return handle == 1 ? 0 : handle; }

/// PyTorch's current stream on a GPU.
std::intptr_t torch_stream(int device);

/// The first part of the name of the module that defines the object's type: "torch", "jaxlib", …
std::string framework_of(PyObject* object);

}  // namespace exactdot::python

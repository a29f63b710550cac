// Chooses the CUDA stream of a call with vectors in GPU memory.
//
// Imports no framework that is not loaded: only the frameworks of the arguments are asked for their current stream.
#pragma once

#include <cstdint>
#include <python/src/imported_array.hpp>
#include <string>
#include <vector>

namespace exactdot::python {

struct stream_choice {
  std::intptr_t handle = 0;  // cudaStream_t; 0 is the legacy default stream
  std::string framework;     // "torch" or "cupy" if it is the current stream of that framework; else empty
};

/// The first that exists of:
///   1. the argument `stream`: an integer, or an object with __cuda_stream__, cuda_stream or ptr
///   2. the current stream of PyTorch or CuPy, for the first of the arrays that belongs to one of them
///   3. the stream that an array's __cuda_array_interface__ names
///   4. the legacy default stream
stream_choice choose_stream(nb::handle given, const std::vector<const imported_array*>& arrays, const char* caller);

/// The one number of the legacy default stream, which is 1 in DLPack and CuPy and 0 in CUDA.
constexpr std::intptr_t canonical_stream(std::intptr_t handle) { return handle == 1 ? 0 : handle; }

/// PyTorch's current stream on this GPU.
std::intptr_t torch_stream(int device);

/// The top-level package that defines the object's type: "torch", "jaxlib", …
std::string framework_of(PyObject* object);

}  // namespace exactdot::python

// GPU memory that this package owns, for results of libraries whose arrays nobody else may write.
#pragma once

#include <cstddef>
#include <exactdot/element.hpp>
#include <python/src/imported_array.hpp>
#include <python/src/stream.hpp>
#include <vector>

namespace exactdot::python {

/// An object that exports a new array, in C order and allocated in the order of the stream, by DLPack: whoever
/// imports it on another stream waits for the work queued on this one until then. The memory is freed by a later
/// call after all its importers have released it.
nb::object new_gpu_memory(const std::vector<std::size_t>& shape, element_type type, int device,
                          const stream_choice& stream);

/// Defines the class of these objects, in a build with the CUDA engine.
void bind_gpu_memory(nb::module_& module);

}  // namespace exactdot::python

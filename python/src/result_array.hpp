// Arrays of results: `out`, or a new one, of the library of the inputs and on their device.
//
// PyTorch and CuPy allocate on their current stream, which a stream of the caller's choice then waits for. JAX's
// arrays are immutable: the results go to memory of this package, which JAX then imports.
#pragma once

#include <python/src/grid_reduce.hpp>

namespace exactdot::python {

/// Makes `call.results` an array of this shape and type, or checks the type of `out`. Throws ImportError without
/// the library that new results need; ValueError for arrays on a GPU that belong to no known library.
void make_results(const grid_call& call, const std::vector<std::size_t>& shape, element_type type);

/// What the caller gets: the array of results, once the work that writes it has been queued.
[[nodiscard]] nb::object finished(const grid_call& call);

}  // namespace exactdot::python

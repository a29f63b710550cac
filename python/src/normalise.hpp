// rms_norm(x, weight) and layer_norm(x, weight, bias): arrays normalised along their last axis.
#pragma once

#include <python/src/reduction_table.hpp>
#include <python/src/vectors.hpp>

namespace exactdot::python {

/// The arguments of a call; None where they were not passed.
struct normalise_call {
  const char* caller;
  bool is_centred;  ///< layer_norm
  nb::handle x, weight, bias, epsilon, out, stream;
  options chosen;
  std::span<const plain_tensor* const> described{};  ///< PyTorch's descriptions of x and out
};

/// An array of the shape and type of x, or `out`.
nb::object normalise(const normalise_call& given);

}  // namespace exactdot::python

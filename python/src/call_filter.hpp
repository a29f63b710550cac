// What a call leaves out of its arrays, as it was passed, and as the library takes it (exactdot/missing.hpp): the
// mask broadcast to the shape of the first input.
#pragma once

#include <exactdot/missing.hpp>
#include <optional>
#include <python/src/grid_reduce.hpp>
#include <python/src/grid_results.hpp>

namespace exactdot::python {

/// What is left out, and what is added.
struct call_filter {
  const imported_array* where = nullptr;  ///< booleans, broadcast to the shape of the first input
  bool skips_nan = false;
  std::optional<any_scalar> initial = {};  ///< of extrema: one element more of each result, of the element type

  /// The filter of the library. `mask`: its axes of results and of elements.
  [[nodiscard]] element_filter with(std::span<const axis> results, std::span<const axis> elements) const {
    return {{where != nullptr ? where->data : nullptr, results, elements}, skips_nan, initial};
  }
};

/// The axes of a mask that belong to axes of the first input; all strides are 0 without a mask (null). Throws
/// ValueError.
[[nodiscard]] std::vector<axis> axes_of_mask(const vectors& inputs, const imported_array* where);
[[nodiscard]] inline std::vector<axis> axes_of_mask(const grid_call& call) {
  return axes_of_mask(call.inputs, call.filter != nullptr ? call.filter->where : nullptr);
}

/// flags[i] &= the mask at element i of the first input, in the order of C. Throws ValueError.
void intersect(std::vector<std::uint8_t>& flags, const vectors& inputs, const imported_array& where);

}  // namespace exactdot::python

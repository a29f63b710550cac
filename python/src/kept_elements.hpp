// Reductions of some of the elements of arrays: those where a mask is true, those that are not NaN or null, and an
// initial value of extrema. An element that is left out is not there: counts, means and variances know.
//
// The elements that stay are copied, line after line, and reduced as segments, whose results have the bits of the
// call on these elements alone; those of groups with the keys that stay. Calls without these arguments do not pass
// here. Cost: a copy of what stays, 8 bytes a result, of groups also 8 bytes an element.
#pragma once

#include <optional>
#include <python/src/grid_reduce.hpp>
#include <python/src/grid_results.hpp>

namespace exactdot::python {

/// What is left out, and what is added.
struct element_filter {
  const imported_array* where = nullptr;  ///< booleans, broadcast to the shape of the first input
  bool skips_nan = false;
  std::optional<any_scalar> initial = {};  ///< of extrema: one element more of each result, of the element type
};

/// The axes of a mask that belong to axes of the first input; all strides are 0 without a mask (null). Throws
/// ValueError.
[[nodiscard]] std::vector<axis> axes_of_mask(const vectors& inputs, const imported_array* where);
[[nodiscard]] inline std::vector<axis> axes_of_mask(const grid_call& call) {
  return axes_of_mask(call.inputs, call.filter != nullptr ? call.filter->where : nullptr);
}

/// flags[i] &= the mask at element i of the first input, in the order of C. Throws ValueError.
void intersect(std::vector<std::uint8_t>& flags, const vectors& inputs, const imported_array& where);

/// As detail::reduce_grid, reduce_segments and reduce_groups. `mask`: its axes of results and of elements, or its
/// stride. Without the GIL.
void reduce_kept_grid(const grid_call& call, const grid_pair& of, const divided_axes& mask, const any_results& to,
                      const options& chosen);
void reduce_kept_segments(const grid_call& call, const any_vector& a, const any_vector& b,
                          const any_offsets& segments, std::ptrdiff_t mask, const any_results& to,
                          const options& chosen);
void reduce_kept_groups(const grid_call& call, const grid_pair& of, const divided_axes& mask, const any_keys& keys,
                        const any_results& to, const options& chosen);

}  // namespace exactdot::python

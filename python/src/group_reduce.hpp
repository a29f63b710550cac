// Reductions of groups by an integer key per element: group_sum(x, keys), group_count(keys).
//
// Keys go along the first axis of the arrays; each position of the other axes has its own results.
#pragma once

#include <python/src/grid_reduce.hpp>

namespace exactdot::python {

/// The arguments that groups have beside those of other shapes, as they were passed.
struct group_arguments {
  nb::handle keys, groups;  ///< groups: None or null for the greatest key plus 1
  bool skip_out_of_range;
};

/// The results of the groups of an array's elements, or of two arrays'.
nb::object reduce_groups(const grid_call& call, const group_arguments& given);
/// The number of elements of each group. The only input is the array of keys.
nb::object count_groups(const grid_call& call, const group_arguments& given);

}  // namespace exactdot::python

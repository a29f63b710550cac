// The arguments axis and keepdims: which axes of an array are reduced, and what shape is left.
#pragma once

#include <python/src/imported_array.hpp>
#include <vector>

namespace exactdot::python {

/// The axes of an array, divided: the elements of a result lie along `elements`; there is one result per index of
/// `results`.
struct divided_axes {
  std::vector<axis> results, elements;
  std::vector<std::size_t> shape;  ///< of the results; with keepdims the reduced axes have length 1
  std::vector<bool> is_result;     ///< of each axis of `shape`: false for one that keepdims keeps
};

/// Whether an axis is reduced, for each of `dimensions` axes. `given`: None (all), an integer or a tuple or
/// list of integers, which count from the end if they are negative. Throws TypeError; AxisError, which is a
/// ValueError and an IndexError; ValueError for an axis that is named twice.
[[nodiscard]] std::vector<bool> read_axes(nb::handle given, int dimensions, const char* caller);

/// Throws TypeError for a tuple or a list.
void refuse_several_axes(nb::handle given, const char* caller, const char* expected);

[[nodiscard]] divided_axes divide(const std::vector<axis>& axes, const std::vector<bool>& reduced, bool keepdims);

/// The axes of an array of results, the argument `name`, that belong to result axes. Throws ValueError if its shape
/// is not that of the results.
[[nodiscard]] std::vector<axis> places_of(const imported_array& out, const divided_axes& divided,
                                          const char* caller, const char* name = "out");

}  // namespace exactdot::python

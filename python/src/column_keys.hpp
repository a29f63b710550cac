// Keys of groups that a column of pandas, Polars or PyArrow holds as categories, or with nulls.
#pragma once

#include <nanobind/nanobind.h>

#include <python/src/reduction_table.hpp>

namespace exactdot::python {

/// Of a function for groups whose keys are such a column: puts an array of int64 in their place, and the number of
/// categories in that of `groups` if none was passed. Returns what keeps both alive; invalid for other calls, whose
/// keys the engine reads. Throws ValueError, which names the nulls.
[[nodiscard]] nanobind::object read_column_keys(const reduction_function& function, call_arguments& given);

}  // namespace exactdot::python

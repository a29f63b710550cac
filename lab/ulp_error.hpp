// Error of a value relative to the exact sum, in ulps of the correctly rounded sum.
//
// An accumulator forms the difference exactly and rounds it once, so the figure is accurate for errors of any size.
#pragma once

#include <exactdot/accumulator.hpp>
#include <exactdot/element.hpp>

namespace exactdot::lab {

/// Returns |value - sum| / ulp(sum rounded to `type`), which may exceed the range of double. If either is infinite
/// or NaN: 0 if `value` equals the rounded sum (or both are NaN), else infinity or NaN.
template <element T>
[[nodiscard]] long double ulp_error(const accumulator<T>& sum, double value, element_type type);

extern template long double ulp_error(const accumulator<float>&, double, element_type);
extern template long double ulp_error(const accumulator<double>&, double, element_type);

}  // namespace exactdot::lab

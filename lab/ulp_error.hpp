// Error of a value relative to an exact sum, its root or a mean, in ulps of the correctly rounded result.
//
// An accumulator forms the difference exactly and rounds it once, so the figure is accurate for errors of any size.
#pragma once

#include <cstddef>
#include <exactdot/accumulator.hpp>
#include <exactdot/element.hpp>
#include <exactdot/reduction.hpp>

namespace exactdot::lab {

/// Returns |value - sum| / ulp(sum rounded to `type`), which may exceed the range of double. If either is infinite
/// or NaN: 0 if `value` equals the rounded sum (or both are NaN), else infinity or NaN.
template <element T>
[[nodiscard]] long double ulp_error(const accumulator<T>& sum, double value, element_type type);

/// The same for the value of a reduction of n elements: nrm2 with the sum of squares, mean, or a sum. `type` is any
/// floating-point type. n ≤ 2^53.
template <element T>
[[nodiscard]] long double ulp_error(reduction what, const accumulator<T>& sum, std::size_t n, double value,
                                    element_type type);

extern template long double ulp_error(const accumulator<float>&, double, element_type);
extern template long double ulp_error(const accumulator<double>&, double, element_type);
extern template long double ulp_error(reduction, const accumulator<float>&, std::size_t, double, element_type);
extern template long double ulp_error(reduction, const accumulator<double>&, std::size_t, double, element_type);

}  // namespace exactdot::lab

// How far a value is from the exact sum, in units of the last place of the correctly rounded one.
//
// The difference is formed exactly, in an accumulator, and only then rounded: the figure is right however
// small, or however enormous, the error is.
#pragma once

#include <exactdot/accumulator.hpp>
#include <io/dtype.hpp>

namespace exactdot::lab {

/// |value - sum| / ulp(sum rounded to `type`); long double, as it may be beyond any double. Between infinities
/// and NaNs: 0 when `value` is what the sum rounds to, infinite or NaN when not.
template <element T>
[[nodiscard]] long double ulp_error(const accumulator<T>& sum, double value, io::dtype type);

extern template long double ulp_error(const accumulator<float>&, double, io::dtype);
extern template long double ulp_error(const accumulator<double>&, double, io::dtype);

}  // namespace exactdot::lab

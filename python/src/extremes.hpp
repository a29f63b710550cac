// minmax, the results of min and of max together, and iamax, the index of the largest magnitude.
#pragma once

#include <functional>
#include <python/src/reduction_call.hpp>

namespace exactdot::python {

/// is_vector: the result is one of a vector in host memory, which is read once. Otherwise reduce(call) computes the
/// results of one reduction of the inputs. `axis`: of an array in host memory the argument, None too, so that iamax
/// finds the elements by their indices; null for others.
nb::object compute_extremes(const reduction_call& call, bool is_vector, nb::handle axis,
                            const std::function<nb::object(const reduction_call&)>& reduce);

}  // namespace exactdot::python

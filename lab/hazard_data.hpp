// Input of hazard float_order and its sums on the host. A separate file, because the exact sum needs the library,
// which the compiler of the kernels does not.
#pragma once

#include <cstddef>
#include <vector>

namespace exactdot::lab {

/// Returns n floats, uniform in (-1, 1), the same on every machine.
[[nodiscard]] std::vector<float> uniform_floats(std::size_t n);

/// Adds the elements in order in a float.
[[nodiscard]] float loop_sum(const std::vector<float>& x);

/// Returns the exact sum, rounded once.
[[nodiscard]] float exact_sum(const std::vector<float>& x);

/// Returns the exact sum from two accumulators, one per half, merged with the second half first.
[[nodiscard]] float exact_sum_of_halves(const std::vector<float>& x);

}  // namespace exactdot::lab

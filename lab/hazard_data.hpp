// The floats of the hazard float_order, and their sums on the host. Apart from the hazard, for the exact sum needs
// the library, which a kernel's compiler does not.
#pragma once

#include <cstddef>
#include <vector>

namespace exactdot::lab {

/// Uniform in (-1, 1), the same on every machine.
[[nodiscard]] std::vector<float> uniform_floats(std::size_t n);

/// One after the other, in a float.
[[nodiscard]] float loop_sum(const std::vector<float>& x);

/// The real sum, rounded once.
[[nodiscard]] float exact_sum(const std::vector<float>& x);

/// The same from two halves in two accumulators, the second half first.
[[nodiscard]] float exact_sum_of_halves(const std::vector<float>& x);

}  // namespace exactdot::lab

// Whether the values of 64-bit integers exclude an overflow of their sums: a pass over the elements, which takes
// less time than computing many results twice.
#pragma once

#include <plan/batch.hpp>

namespace exactdot::inline v0_3::cpu_engine {

/// True if every sum of the batch's segments or groups fits into its integer type, whichever elements are added.
[[nodiscard]] bool sums_fit(const engine::batch& of) noexcept;

}  // namespace exactdot::inline v0_3::cpu_engine

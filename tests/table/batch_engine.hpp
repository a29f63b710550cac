// The vector of a call as one of many: as a row, as several axes, as a column beside others, as a segment,
// as a group among others.
#pragma once

#include "table/engines.hpp"

namespace table {

/// The result of the vector in a batch that the variant selects. Throws std::runtime_error if another result of the
/// batch differs from the vector call on its elements.
[[nodiscard]] std::optional<exactdot::any_scalar> run_in_batch(const call& asked);

/// The part of a result of complex vectors that a call asks for.
[[nodiscard]] exactdot::any_scalar run_complex(const call& asked, const exactdot::options& options);

}  // namespace table

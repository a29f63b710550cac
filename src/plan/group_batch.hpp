// The number of elements of each group; the checks of plan/batch.hpp.
#pragma once

#include <plan/batch.hpp>

namespace exactdot::inline v0_3::engine {

/// Stores how many keys name each group. Throws as make_group_batch does.
void store_group_sizes(const batch_request& asked, const any_keys& keys, const options& options);

}  // namespace exactdot::inline v0_3::engine

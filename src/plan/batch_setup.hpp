// What make_*_batch share: the parts of a batch that do not depend on its shape, and the axes of arrays.
#pragma once

#include <plan/batch.hpp>

namespace exactdot::inline v0_3::engine {

/// Axes of more than one position, with the indices of the results along them. `out`: empty for axes of elements.
[[nodiscard]] std::vector<shared_axis> shared_axes(std::span<const axis> a, std::span<const axis> b,
                                                   std::span<const axis> out);

/// What does not depend on the shape.
[[nodiscard]] batch unplaced_batch(const batch_request& asked, const any_vector& a, const any_vector& b, mode mode);

/// Chooses engine and threads.
void place(batch& made, const batch_request& asked, const options& options);
/// Sets threads and monitor, of an engine that has been chosen.
void set_threads(batch& made, const options& options);

}  // namespace exactdot::inline v0_3::engine

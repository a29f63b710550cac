// Ratios (core/ratio.hpp) of vectors, grids, segments and groups, in host memory.
//
// Every line is read once, chunk by chunk, by all sums; a second time where bounds leave its result open. Memory:
// chunks of each thread; 8 bytes a result; of groups whose keys are not sorted 8 bytes an element and a group.
#pragma once

#include <plan/batch.hpp>

namespace exactdot::inline v0_3::cpu_engine {

/// The bits of the result of a plan. Throws errc::cancelled.
[[nodiscard]] std::uint64_t ratio(const engine::plan& plan);
[[nodiscard]] std::uint64_t ratio_of_nothing(const engine::plan& plan);
/// Computes and stores the results of a batch, but those of groups without elements that are no vectors of it.
/// Throws the same.
void ratios(const engine::batch& of);
/// The same of a grid whose results are those of all pairs of m vectors, along two axes, and do not depend on the
/// order of the two: one of each two is computed.
void ratio_matrix(const engine::batch& of, std::size_t m);

}  // namespace exactdot::inline v0_3::cpu_engine

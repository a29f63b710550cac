// Ratios (core/ratio.hpp) of vectors, grids, segments and groups, in host memory.
//
// Every line is read once, chunk by chunk, by all sums; a second time where bounds leave its result open. Memory:
// chunks of each thread; 8 bytes a result; of groups whose keys are not sorted 8 bytes an element and a group.
#pragma once

#include <plan/batch.hpp>

namespace exactdot::inline v0_3::cpu_engine {

[[nodiscard]] inline bool is_ratio(reduction what) { return is_known(what) && core::info_of(what).is_ratio; }

/// The bits of the result of a plan. Throws errc::bad_option for vectors in a GPU's memory; errc::cancelled.
[[nodiscard]] std::uint64_t ratio(const engine::plan& plan);
/// Computes and stores the results of a grid or of segments. Throws the same.
void ratios(const engine::batch& of);
/// The same of groups: `of` has checked the call, and is not computed.
void ratios_of_groups(const engine::batch& of, const any_grid& a, const any_grid& b, const any_keys& keys,
                      const any_results& out);

}  // namespace exactdot::inline v0_3::cpu_engine

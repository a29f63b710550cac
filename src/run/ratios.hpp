// Ratios (core/ratio.hpp) of vectors, grids, segments and groups: the entries of run.cpp for reductions that no
// engine computes as one.
//
// The engines compute exact states of the sums, of a bounded number of results at a time; each result is finished
// from its states. So every shape that has states has ratios. Memory beside inputs and results: up to 64 MiB, of
// groups also 8 bytes a key; of inputs of two element types a copy in the wider one.
#pragma once

#include <exactdot/batches.hpp>
#include <plan/batch.hpp>

namespace exactdot::inline v0_3::engine {

[[nodiscard]] inline bool is_ratio(reduction what) { return is_known(what) && core::info_of(what).is_ratio; }

/// `checked`: the plan that make_plan has made of the request. The vectors may lie in a GPU's memory.
[[nodiscard]] std::uint64_t ratio_of_vectors(const request& asked, const plan& checked, const options& options);
/// Each throws as the calls of other reductions, and errc::bad_option for arrays in a GPU's memory.
void ratios_of_grid(const batch_request& asked, const any_grid& a, const any_grid& b, const options& options);
void ratios_of_segments(const batch_request& asked, const any_vector& a, const any_vector& b,
                        const any_offsets& offsets, const options& options);
void ratios_of_groups(const batch_request& asked, const any_grid& a, const any_grid& b, const any_keys& keys,
                      const options& options);

}  // namespace exactdot::inline v0_3::engine

// The CPU engine: computes plans whose inputs lie in host memory.
#pragma once

#include <cpu/integer_sums.hpp>
#include <exactdot/extremes.hpp>
#include <plan/plan.hpp>

namespace exactdot::inline v0_3::cpu_engine {

/// The bits of the result. Mode exact: level 1 (levels.hpp) if it decides the result, else the exact state, rounded
/// once. A monitor, or a result more precise than the carrier, excludes level 1. Throws errc::cancelled,
/// errc::overflow.
[[nodiscard]] std::uint64_t reduce(const engine::plan& plan);

/// words += the exact state of the plan's term; normalised on entry and on return.
void add(const engine::plan& plan, std::int64_t* words);

/// The bits of the extreme element, or its index.
[[nodiscard]] std::uint64_t find_extreme(const engine::plan& plan);
/// Both extreme elements and their indices; the plan is that of a minimum.
[[nodiscard]] exactdot::detail::found_extremes find_extremes(const engine::plan& plan);

/// The exact sums of a plan that suits_integers. Throws errc::cancelled.
[[nodiscard]] integer_sums sum_in_integers(const engine::plan& plan);

}  // namespace exactdot::inline v0_3::cpu_engine

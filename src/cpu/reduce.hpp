// The CPU engine: computes plans whose inputs lie in host memory.
#pragma once

#include <plan/plan.hpp>

namespace exactdot::cpu_engine {

/// The bits of the result. Mode exact:
/// 1. up to 2 MiB per vector, the bounded sum, if its bound decides the rounding;
/// 2. else the exact state, rounded once.
/// Longer vectors start with 2, which is as fast from memory, and try 1 only if their data needs the integer path.
/// Only sums that are rounded as they are have level 1; a monitor, or a result more precise than the carrier,
/// excludes it. Throws errc::cancelled, errc::overflow.
[[nodiscard]] std::uint64_t reduce(const engine::plan& plan);

/// words += the exact state of the plan's term; normalised on entry and on return.
void add(const engine::plan& plan, std::int64_t* words);

/// The bits of the extreme element, or its index.
[[nodiscard]] std::uint64_t find_extreme(const engine::plan& plan);

}  // namespace exactdot::cpu_engine

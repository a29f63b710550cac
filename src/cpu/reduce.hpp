// The CPU engine: computes plans whose inputs lie in host memory.
#pragma once

#include <cpu/kernels.hpp>
#include <plan/plan.hpp>

namespace exactdot::cpu_engine {

/// The bits of the result. Mode exact: 1. up to 2 MiB per vector, the bounded sum, if its bound decides the
/// rounding;
/// 2. else the exact state, rounded once. Longer vectors start with 2, which is as fast from memory, and try 1 only
/// if their data needs the integer path. A monitor, or a result more precise than the elements, excludes 1.
[[nodiscard]] std::uint64_t reduce(const engine::plan& plan, const kernels& kernels);

/// words += the exact state; normalised on entry and on return.
void add(const engine::plan& plan, const kernels& kernels, std::int64_t* words);

}  // namespace exactdot::cpu_engine

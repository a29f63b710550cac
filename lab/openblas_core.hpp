// Selects the OpenBLAS kernels that suit this machine.
//
// OpenBLAS selects kernels by CPU model when it is loaded. A release older than the CPU falls back to SSE3 kernels,
// or to AVX2 kernels on a CPU with AVX-512. The environment variable below overrides that choice; without it a
// comparison would be unfair.
#pragma once

#include <string>
#include <string_view>

namespace exactdot::lab {

inline constexpr const char* openblas_core_variable = "OPENBLAS_CORETYPE";

/// Returns the value of that variable that selects the best kernels for this machine. Returns "" if `chosen`, the
/// core that OpenBLAS selected itself, is as good, and on machines other than x86-64.
[[nodiscard]] std::string better_openblas_core(std::string_view chosen);

}  // namespace exactdot::lab

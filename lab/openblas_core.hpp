// Which of OpenBLAS's kernels suit this machine.
//
// OpenBLAS chooses by CPU model when it is loaded. A release older than a CPU does not know it and falls back to
// SSE3 kernels, or to AVX2 ones on a CPU with AVX-512, although the environment variable named here would give it
// the right ones. A comparison with such a peer says nothing.
#pragma once

#include <string>
#include <string_view>

namespace exactdot::lab {

inline constexpr const char* openblas_core_variable = "OPENBLAS_CORETYPE";

/// The value for that variable which gives this machine its best kernels; empty where `chosen`, the core that
/// OpenBLAS took by itself, is as good, and on machines that are not x86-64.
[[nodiscard]] std::string better_openblas_core(std::string_view chosen);

}  // namespace exactdot::lab

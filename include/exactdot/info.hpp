// SPDX-License-Identifier: Apache-2.0
// What this build and this machine can do: version, instruction sets, threads.
#pragma once

#include <exactdot/requirements.hpp>

#include <string>
#include <vector>

namespace exactdot::inline v0_3 {

struct cpu_info {
  std::string instruction_set;                // the one in use: "avx512", "avx2", "portable", …
  std::vector<std::string> instruction_sets;  // all that this build has and this machine runs, best first
  int threads = 1;  // processors that `threads = 0` may use here: affinity, CPU quota, OMP_NUM_THREADS
};

[[nodiscard]] const char* version() noexcept;  ///< "major.minor.patch"
[[nodiscard]] cpu_info cpu();

/// Uses one instruction set from here on, in every thread. For tests and measurements: no result depends on
/// it. An empty name returns to the best one. Throws errc::bad_option, naming the known ones, for a name not in
/// cpu().instruction_sets. The environment variable EXACTDOT_TARGET does the same at start.
void use_instruction_set(const std::string& name);

}  // namespace exactdot::inline v0_3

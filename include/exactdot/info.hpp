// SPDX-License-Identifier: Apache-2.0
// What this build, this machine and this thread are: version, instruction sets, threads, floating-point environment.
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

/// The floating-point environment of a thread. Calls compute in the default one and put the thread's back, so no
/// result depends on it; reduce(x, op) calls op in it. Programs linked with -ffast-math or -Ofast, and those that load
/// a library linked so, start with flush_to_zero.
struct float_environment {
  std::string rounding;             ///< "to_nearest", "upward", "downward" or "toward_zero"
  // of x86-64 and AArch64; false of others
  bool flush_to_zero = false;       ///< subnormal results become zero (FTZ)
  bool denormals_are_zero = false;  ///< subnormal operands count as zero (DAZ)
  bool traps = false;               ///< some exception ends the program or calls a handler
};

/// "0.3.0", before a release "0.3.0.dev0+g1234567" with the commit, and "0.3.0.dev0+g1234567.d89abcde" if the sources
/// differ from it: builds of different sources have different versions.
[[nodiscard]] const char* version() noexcept;
[[nodiscard]] cpu_info cpu();
[[nodiscard]] float_environment environment();  ///< of the calling thread

/// Uses one instruction set from here on, in every thread. For tests and measurements: no result depends on
/// it. An empty name returns to the best one. Throws errc::bad_option, naming the known ones, for a name not in
/// cpu().instruction_sets. The environment variable EXACTDOT_TARGET does the same at start.
void use_instruction_set(const std::string& name);

}  // namespace exactdot::inline v0_3

// The simulation behind CUDA's runtime: for tests that choose its schedule and read what it found. Not part of CUDA.
#pragma once

#include <exactdot/simt/simulator.hpp>
#include <string>
#include <vector>

namespace exactdot::simt {

/// The device's queue, on which every launch runs: its settings (the seed, the model), faults and counters.
[[nodiscard]] stream& device_queue();

/// Returns the findings since the last call, one line each, and forgets them.
[[nodiscard]] std::vector<std::string> take_findings();

}  // namespace exactdot::simt

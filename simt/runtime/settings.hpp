// Settings of a program that simtcc compiled: its defaults (options of simtcc), changed by its environment.
#pragma once

#include <cstdint>
#include <exactdot/simt/simulator.hpp>
#include <string>

namespace exactdot::simt {

struct program_settings {
  std::uint64_t seed = 1;
  execution model = execution::independent;
  unsigned seeds = 1;          // runs of the whole program, with consecutive seeds
  std::string json;            // file for the findings; "" for none
  std::uint64_t steps = 0;     // maximum of a launch, if the user names one
  bool profile = false;        // count the costs of each line
  unsigned architecture = 90;  // compute capability: major * 10 + minor
};

/// Returns the settings. A value that is none ends the program with status 2.
program_settings read_settings();
[[nodiscard]] const char* name_of(execution model);

}  // namespace exactdot::simt

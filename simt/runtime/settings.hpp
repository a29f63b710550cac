// Settings of a program that simtcc compiled: its defaults (options of simtcc), changed by its environment.
#pragma once

#include <cstdint>
#include <exactdot/simt/simulator.hpp>
#include <string>
#include <vector>

namespace exactdot::simt {

struct program_settings {
  std::uint64_t seed = 1;
  execution model = execution::independent;
  unsigned seeds = 1;                      // runs of the whole program, with consecutive seeds
  std::string json;                        // file for the findings; "" for none
  std::string html;                        // file for the page with the stepper; "" for none
  std::vector<std::size_t> html_launches;  // that it shows, from 1; empty: the first ones, and those with findings
  std::vector<unsigned> html_blocks;       // that it shows; empty: the first ones, or those of the first finding
  std::uint64_t steps = 0;                 // maximum of a launch, if the user names one
  bool profile = false;                    // count the costs of each line
  unsigned architecture = 90;              // compute capability: major * 10 + minor
};

/// Returns the settings. A value that is none ends the program with status 2.
program_settings read_settings();
[[nodiscard]] const char* name_of(execution model);

}  // namespace exactdot::simt

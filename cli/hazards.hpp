// exactdot hazards: classic mistakes of parallel programs, run and explained.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace exactdot::cli {

/// As they stand on the command line.
struct hazards_arguments {
  std::vector<std::string> names;  // empty: all
  std::string device = "auto";     // "cuda", "simt"; "auto": cuda where there is one
  std::uint32_t seed = 1;
  bool json = false;
  bool unwatched = false;  // what may hang is run in this process too: for the watchdog itself, and debuggers
};

/// Throws exactdot::error: errc::bad_option for a name that is none, errc::no_device where the device is missing;
/// and std::runtime_error at the end when one did not show what it should.
void run_hazards(const hazards_arguments& arguments);

}  // namespace exactdot::cli

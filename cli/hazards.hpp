// exactdot hazards: classic mistakes of parallel programs, run and explained.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace exactdot::cli {

/// As they stand on the command line.
struct hazards_arguments {
  std::vector<std::string> names;  // empty: all
  std::string device = "auto";      // "cuda", "simt"; "auto": cuda where there is one
  std::uint32_t seed = 1;
  bool json = false;
};

/// Throws exactdot::error: errc::bad_option for a name that is none, errc::no_device where the device is missing.
void run_hazards(const hazards_arguments& arguments);

}  // namespace exactdot::cli

// exactdot hazards: classic mistakes of parallel programs, run and explained.
#pragma once

#include <chrono>
#include <cli/watchdog.hpp>
#include <cstdint>
#include <lab/hazard.hpp>
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

/// What a watched process showed of a hazard: the outcome that it printed; or that it did not end in time or died
/// of a signal, which undefined behaviour may do, and is as expected. Any other failure is not: nobody saw the
/// hazard.
[[nodiscard]] lab::hazard_outcome watched_outcome(const watched& seen, std::chrono::seconds patience);

}  // namespace exactdot::cli

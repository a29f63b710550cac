// exactdot hazards: runs and explains classic mistakes of parallel sums.
#pragma once

#include <chrono>
#include <cli/watchdog.hpp>
#include <cstdint>
#include <lab/hazard.hpp>
#include <string>
#include <vector>

namespace exactdot::cli {

/// Arguments of the command line.
struct hazards_arguments {
  std::vector<std::string> names;  ///< empty: all
  std::string device = "auto";     ///< "cuda", "simt", or "auto": a GPU if there is one
  std::uint32_t seed = 1;
  bool json = false;
  bool list = false;               ///< print the hazards instead of running them
  bool explain = false;            ///< print the named hazards' cause, fix and source instead of running them
  std::string html;                ///< file of the page to write instead of a report; "": none
  std::string model;               ///< of a page: independent or lock_step; "": each hazard's own
  std::vector<unsigned> schedule;  ///< of a page
  bool no_watchdog = false;  ///< run hazards that may hang in this process: for the watched process and debuggers
};

/// Returns the hazards named, in the order of `names`; all hazards if `names` is empty. Throws errc::bad_option for
/// an unknown name.
[[nodiscard]] std::vector<lab::hazard> choose_hazards(const std::vector<lab::hazard>& all,
                                                      const std::vector<std::string>& names);

/// Runs the hazards and prints their reports.
///
/// Throws exactdot::error: errc::bad_option for an unknown name, errc::no_device for a missing device. Throws
/// std::runtime_error at the end if a hazard had an unexpected outcome.
void run_hazards(const hazards_arguments& arguments);

/// Returns the outcome of a hazard that ran in a process with a time limit.
///
/// This is the outcome that the process printed. If the process exceeded `time_limit` or was ended by a signal,
/// both possible effects of undefined behaviour, the outcome is as expected. After any other failure it is not,
/// because the hazard was not observed.
[[nodiscard]] lab::hazard_outcome outcome_of(const process_result& process, std::chrono::seconds time_limit);

}  // namespace exactdot::cli

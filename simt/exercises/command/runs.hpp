// Runs of a check: what the simulator found and what the check wrote.
#pragma once

#include <string>
#include <vector>

namespace exactdot::simtcc::exercises {

/// A group of runs of the program: one model, consecutive seeds.
struct run_group {
  const char* model;
  unsigned first_seed, seeds;
};

struct run_outcome {
  int status = 0;                     // of process.hpp
  std::vector<std::string> findings;  // as the simulator words them
  unsigned failed_runs = 0;           // that did not reach their end with right results
  std::vector<std::string> cases;     // of the first such run, or of any; the last one is where it stopped
  std::string case_of_finding;        // that in which a run had its first one; "": not known
  // "error", its text and, if known, FILE:LINE; "exception" and its text; "wrong", name, expected, found; or none
  std::vector<std::string> failure;
  std::string reason_of_abort;  // as the C++ library words it

  [[nodiscard]] bool is_clean() const { return status == 0 && findings.empty() && failed_runs == 0; }
};

/// Runs the check. `folder` is for its files.
run_outcome run_check(const std::string& program, const run_group& group, const std::string& folder,
                      unsigned seconds);

}  // namespace exactdot::simtcc::exercises

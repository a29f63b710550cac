// The page with the stepper: one file, without references to others (docs/stepper.md).
#pragma once

#include <lab/html_runs.hpp>
#include <string>
#include <vector>

namespace exactdot::lab {

/// Returns the page. `command`: the command line that it shows.
[[nodiscard]] std::string page_of(const std::string& title, const std::string& command,
                                  const std::vector<html_subject>& subjects);

/// Returns what the page leaves out, one line per subject, without line breaks at the end; empty if nothing.
[[nodiscard]] std::vector<std::string> left_out_of(const std::vector<html_subject>& subjects);

}  // namespace exactdot::lab

// The page with the stepper of a program that simtcc compiled: SIMTCC_HTML (docs/stepper.md).
#pragma once

#include <string>

#include "report.hpp"

namespace exactdot::simt {

/// Starts to record the launches for the page that the settings name.
void start_page();
[[nodiscard]] bool has_page();
struct page_result {
  std::string messages;  // lines for stderr
  bool is_written = true;
};
/// Writes the page with what was recorded until now, also in the middle of a launch.
page_result finish_page(const run_report& report);

}  // namespace exactdot::simt

// Option --html of lab and hazards: a page that plays kernels step by step (docs/stepper.md).
#pragma once

#include <cli/hazards.hpp>
#include <cli/lab.hpp>

namespace exactdot::cli {

/// Runs the rungs, or the hazards, on the simulator under a recorder and writes the page. What the page leaves out
/// is said on standard error.
///
/// Throws errc::bad_option for unknown names and for options that do not fit a page, errc::file if the file cannot
/// be written.
void write_lab_page(const lab_arguments& arguments);
void write_hazards_page(const hazards_arguments& arguments);

}  // namespace exactdot::cli

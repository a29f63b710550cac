// The page with the stepper: one file, without references to others (docs/stepper.md).
//
// The lab shows its rungs and hazards with it, a program that simtcc compiled its own kernels. No library but the
// standard one: it is linked into such programs.
#pragma once

#include <exactdot/simt/recording.hpp>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace exactdot::simt {

/// What a page shows under one name: a rung, a hazard, a program; with its recorded launches.
struct page_subject {
  std::string name = {}, about = {};
  std::string element_type = {};  ///< what T means in its kernels; "" if unknown
  std::vector<recorded_launch> launches = {};
  std::size_t dropped_launches = 0;
  std::vector<std::string> launch_names =
      {};                               ///< of each launch of the run, in its order, beside its kernel's name
  std::vector<std::string> notes = {};  ///< what else is left out or wrong, a sentence each
  recorder_settings limits = {};
};

/// Returns the text of a source file by its path; "" if it is unknown.
using source_reader = std::function<std::string(const std::string& path)>;

/// Returns the page. `command`: the command line that it shows.
[[nodiscard]] std::string page_of(const std::string& title, const std::string& command,
                                  const std::vector<page_subject>& subjects, const source_reader& source_of);

/// Returns what the page leaves out, a sentence each with its subject, without line breaks; empty if nothing.
[[nodiscard]] std::vector<std::string> left_out_of(const std::vector<page_subject>& subjects);

/// Returns why a page cannot be written to this file, or would replace something other than a page; "" if it can.
/// Leaves no new file.
[[nodiscard]] std::string obstacle_to_page(const std::string& file);

/// Writes the page. Returns why it could not; "" if it is written.
[[nodiscard]] std::string write_page(const std::string& file, const std::string& page);

}  // namespace exactdot::simt

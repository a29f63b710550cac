// The recorded launches as JSON, for the script of the page (lab/page/).
#pragma once

#include <lab/html_runs.hpp>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace exactdot::lab {

/// Returns the text of a file in lab/page/; empty if unknown.
[[nodiscard]] std::string_view page_file(std::string_view name);

/// Returns the text of a file with kernels, by its name without folders; empty if unknown.
[[nodiscard]] std::string_view kernel_source(std::string_view name);

/// Returns what the recorder has left out of a launch, as a sentence; "" if nothing.
[[nodiscard]] std::string left_out_of(const simt::recorded_launch& launch, const simt::recorder_settings& limits);
/// The same of a subject's launches.
[[nodiscard]] std::string launches_left_out_of(const html_subject& subject);

/// Returns "subjects", with their runs, and "sources", the text of each file that a run names.
///
/// A step is an array: turn, thread, kind, action, file, line, array, first element, elements, before, after,
/// fault, other thread, mask, entries of the schedule. A value is a text, null if unwritten; several are an array.
[[nodiscard]] nlohmann::ordered_json json_of(const std::vector<html_subject>& subjects);

}  // namespace exactdot::lab

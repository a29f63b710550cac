// The recorded launches as JSON, for the script of the page (simt/page/script/).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "page.hpp"

namespace exactdot::simt {

/// Returns the text of a file in simt/page/script/; empty if unknown.
[[nodiscard]] std::string_view page_file(std::string_view name);

/// Returns what the recorder has left out of a launch, as sentences; "" if nothing.
[[nodiscard]] std::string left_out_of(const recorded_launch& launch);
/// Returns what is left out of a subject, and its notes.
[[nodiscard]] std::vector<std::string> sentences_of(const page_subject& subject);

/// Returns "subjects", with their runs, "sources", the text of each file that a run names, and "command". No < is
/// in it, so that it may stand in a script element.
///
/// A step is an array: turn, thread, kind, action, file, line, array, first element, elements, before, after,
/// fault, other thread, mask, entries of the schedule. A value is a text, null if unwritten; several are an array.
/// An array's values before the first step are also false, if they are not known.
[[nodiscard]] std::string json_of(const std::vector<page_subject>& subjects, const std::string& command,
                                  const source_reader& source_of);

}  // namespace exactdot::simt

// Standard output with errors: a full disk or a closed pipe is an error, not a truncated result.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

namespace exactdot::cli {

/// Writes and flushes. Throws errc::file if not all of the text was written.
void write_output(std::string_view text);

/// Throws errc::file if something that was printed with stdio did not reach standard output.
void check_output();

/// Writes one JSON object on one line. Bytes that are not UTF-8 (file names) are replaced.
void write_json(const nlohmann::ordered_json& object);

}  // namespace exactdot::cli

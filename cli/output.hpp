// Standard output, with its errors: a full disk or a closed pipe is a fault, not a shorter result.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

namespace exactdot::cli {

/// Writes and flushes. Throws errc::file, naming standard output, when not all of it arrived.
void write_output(std::string_view text);

/// Writes one JSON object on one line. Bytes that are not UTF-8 (file names) are replaced.
void write_json(const nlohmann::ordered_json& object);

}  // namespace exactdot::cli

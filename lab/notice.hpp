// One line of what a climb shows.
#pragma once

#include <lab/ladder.hpp>
#include <string>

namespace exactdot::lab {

/// "Notice: …" with a line's end.
[[nodiscard]] std::string notice(const ladder_result& result);

}  // namespace exactdot::lab

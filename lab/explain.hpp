// What one rung is about: idea, cost, promises, and the source itself.
#pragma once

#include <string>
#include <string_view>

namespace exactdot::lab {

/// Throws errc::bad_option, and names the known ones, for an unknown rung.
[[nodiscard]] std::string explain(std::string_view name);

}  // namespace exactdot::lab

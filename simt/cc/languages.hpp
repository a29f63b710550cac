// The languages of input files, by their names or as -x says.
#pragma once

#include <string>
#include <string_view>

namespace exactdot::simtcc {

/// Returns "cu", "c++" or "c" for a source, as its name or `given` says; "" for objects, libraries and other files.
[[nodiscard]] std::string_view language_of(const std::string& file, std::string_view given);

}  // namespace exactdot::simtcc

// Faults of files as exceptions: one line, "NAME: what is wrong".
//
// Names and header texts come from outside and may hold line breaks or terminal controls; printable()
// keeps every message on one line.
#pragma once

#include <cstddef>
#include <exactdot/error.hpp>
#include <string>
#include <string_view>

namespace exactdot::io {

/// Throws errc::file with the sentence "FILE: FAULT".
[[noreturn]] void fail(std::string_view file, std::string_view fault);

/// Throws errc::file with the sentence "FILE: cannot ACTION: what errno says".
[[noreturn]] void fail_errno(std::string_view file, std::string_view action, int error_number);

/// The text with control characters, backslashes and what is not UTF-8 escaped, cut after `limit` characters.
[[nodiscard]] std::string printable(std::string_view text, std::size_t limit = 4096);

}  // namespace exactdot::io

// Errors of files as exceptions with one line: "NAME: FAULT".
//
// File names and headers are untrusted and may contain line breaks or terminal controls; printable() escapes them.
#pragma once

#include <cstddef>
#include <exactdot/error.hpp>
#include <string>
#include <string_view>

namespace exactdot::io {

/// Throws errc::file with the sentence "FILE: FAULT".
[[noreturn]] void fail(std::string_view file, std::string_view fault);

/// Throws errc::file with the sentence "FILE: cannot ACTION: MEANING OF THE ERROR NUMBER".
[[noreturn]] void fail_errno(std::string_view file, std::string_view action, int error_number);

/// Escapes control characters, backslashes and bytes that are not UTF-8, and cuts the text after `limit` bytes.
[[nodiscard]] std::string printable(std::string_view text, std::size_t limit = 4096);

}  // namespace exactdot::io

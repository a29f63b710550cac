// Errors of files as exceptions; see fault.hpp.
#include <fmt/format.h>

#include <io/fault.hpp>
#include <system_error>

namespace exactdot::io {

namespace {

/// Returns the bytes of the UTF-8 character at the beginning of the text; 0 if it is not UTF-8, or a C1 control.
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0; };
  const unsigned first = byte(0);
  const std::size_t length = first < 0x80                    ? 1
                             : first >= 0xc2 && first < 0xe0 ? 2
                             : first >> 4 == 0xe             ? 3
                             : first >> 3 == 0x1e            ? 4
                                                             : 0;
  for (std::size_t i = 1; i < length; ++i) {
    if (byte(i) >> 6 != 2) return 0;
  }
  return first == 0xc2 && byte(1) < 0xa0 ? 0 : length;
}

}  // namespace

std::string printable(std::string_view text, std::size_t limit) {
  std::string shown;
  while (!text.empty()) {
    if (shown.size() >= limit) return shown + "...";
    const auto code = static_cast<unsigned char>(text.front());
    const std::size_t length = character_length(text);
    const bool plain = length != 0 && code >= 0x20 && code != 0x7f && code != '\\';
    shown += plain ? std::string(text.substr(0, length)) : fmt::format("\\x{:02x}", code);
    text.remove_prefix(plain ? length : 1);
  }
  return shown;
}

void fail(std::string_view file, std::string_view fault) {
  throw error(errc::file, fmt::format("{}: {}", printable(file), fault));
}

void fail_errno(std::string_view file, std::string_view action, int error_number) {
  fail(file, fmt::format("cannot {}: {}", action, std::generic_category().message(error_number)));
}

}  // namespace exactdot::io

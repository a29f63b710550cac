// Faults of files as exceptions; see fault.hpp.
#include <fmt/format.h>

#include <io/fault.hpp>
#include <system_error>

namespace exactdot::io {

std::string printable(std::string_view text, std::size_t limit) {
  std::string shown;
  for (const char character : text) {
    if (shown.size() >= limit) return shown + "...";
    const auto code = static_cast<unsigned char>(character);
    if (code < 0x20 || code == 0x7f || character == '\\') {
      shown += fmt::format("\\x{:02x}", code);
    } else {
      shown += character;
    }
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

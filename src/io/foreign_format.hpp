// What a file is that is no .npy file: text, an archive, another format. For messages, from its first bytes.
//
// Raw elements may begin with any bytes. So a format is a reason to refuse a file that is said to hold raw elements
// only if the name of the file says the same.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace exactdot::io {

struct foreign_format {
  std::string
      sentence;  ///< "text; save its numbers with NumPy: …": what the file is, and how its numbers become a .npy file
  bool is_named = false;  ///< the file's name says so too
};

/// Returns the format of a file with these bytes and this name; nothing if it may be raw elements.
[[nodiscard]] std::optional<foreign_format> foreign_format_of(std::span<const std::byte> file_bytes,
                                                              std::string_view file);

}  // namespace exactdot::io

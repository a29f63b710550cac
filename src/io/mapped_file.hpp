// mapped_file: a regular file, mapped into memory read-only.
//
// Mapping supports vectors larger than memory. Another process may change the file meanwhile: no signal is raised
// (bus_guard), but the bytes read may mix two versions of the file. So call check() before using a result.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <ctime>
#include <io/bus_guard.hpp>
#include <optional>
#include <span>
#include <string>

namespace exactdot::io {

class mapped_file {
 public:
  /// Throws errc::file, with the name of the file, if it is missing, unreadable or not a regular file.
  explicit mapped_file(std::string path);
  ~mapped_file();
  mapped_file(const mapped_file&) = delete;
  mapped_file& operator=(const mapped_file&) = delete;

  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return bytes_; }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

  /// Throws errc::file if the file was truncated or written to since it was opened. A write within the clock tick
  /// of the opening (milliseconds) that keeps the size may remain undetected.
  void check() const;

 private:
  std::string path_;
  int descriptor_ = -1;
  timespec modified_ = {};
  std::span<const std::byte> bytes_;
  std::optional<bus_guard> guard_;
};

}  // namespace exactdot::io

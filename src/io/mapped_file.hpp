// mapped_file: a regular file in memory, read-only, without reading it first.
//
// Mapped, not read, so that vectors larger than memory work. Another process may change the file under
// us; no signal reaches the user then (bus_guard), but the bytes seen may be those of no version of it.
// Therefore: compute, then check(), then believe the result.
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
  /// Throws errc::file, naming the file, when it is missing, unreadable or not a regular file.
  explicit mapped_file(std::string path);
  ~mapped_file();
  mapped_file(const mapped_file&) = delete;
  mapped_file& operator=(const mapped_file&) = delete;

  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return bytes_; }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

  /// Throws errc::file when the file shrank, or was written to, since it was opened. A change within the
  /// clock tick of the opening (some milliseconds) that keeps the size can pass unseen.
  void check() const;

 private:
  std::string path_;
  int descriptor_ = -1;
  timespec modified_ = {};
  std::span<const std::byte> bytes_;
  std::optional<bus_guard> guard_;
};

}  // namespace exactdot::io

// output_file: a file that appears complete or not at all.
//
// It is written under a temporary name in the same directory, and commit() renames it. After an earlier failure
// (full disk, exception, cancellation) an existing file is unchanged and the temporary file is removed.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace exactdot::io {

/// Returns the target of a symbolic link, which need not exist; the path itself if it is not a link.
[[nodiscard]] std::string link_target(const std::string& path);

class output_file {
 public:
  /// Opens the temporary file. An existing file must be regular and writable; its permissions are kept, and a
  /// symbolic link remains a link. Throws errc::file.
  explicit output_file(const std::string& path);
  ~output_file();
  output_file(const output_file&) = delete;
  output_file& operator=(const output_file&) = delete;

  void write(std::span<const std::byte> bytes);
  /// Flushes the file to the disk, then renames it. Throws errc::file.
  void commit();
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  void open_temporary();

  std::string path_;    // for messages
  std::string target_;  // after symbolic links
  std::string temporary_;
  int descriptor_ = -1;
};

}  // namespace exactdot::io

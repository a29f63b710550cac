// output_file: a file that appears whole or not at all.
//
// Written under a temporary name in the same directory and renamed by commit(). Whatever goes wrong
// before that (a full disk, an exception, a signal turned into one) leaves an existing file as it was and
// removes the temporary one.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace exactdot::io {

/// The file that writing to `path` would write: what the symbolic link names, though that does not exist yet, or
/// the path itself where it is none.
[[nodiscard]] std::string behind_links(const std::string& path);

class output_file {
 public:
  /// An existing file must be a regular one that we may write; its permissions are kept, and a symbolic link
  /// stays one. Throws errc::file.
  explicit output_file(const std::string& path);
  ~output_file();
  output_file(const output_file&) = delete;
  output_file& operator=(const output_file&) = delete;

  void write(std::span<const std::byte> bytes);
  /// Everything on its way to the disk, then the new name. Throws errc::file.
  void commit();
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  void open_temporary();

  std::string path_;    // as the user gave it, for messages
  std::string target_;  // behind symbolic links
  std::string temporary_;
  int descriptor_ = -1;
};

}  // namespace exactdot::io

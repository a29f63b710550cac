// A folder for one test, removed with its contents. In the build folder, because /tmp may be in memory, too small
// for the large sparse files.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace cli_test {

class temporary_folder {
 public:
  temporary_folder();
  ~temporary_folder();
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;

  [[nodiscard]] std::string operator/(const std::string& name) const { return path_ + '/' + name; }
  [[nodiscard]] const std::string& path() const { return path_; }
  /// Returns the sorted names of its contents.
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  std::string path_;
};

void write_file(const std::string& path, const std::string& bytes);
[[nodiscard]] std::string read_file(const std::string& path);

}  // namespace cli_test

// Child processes and temporary files.
#pragma once

#include <string>
#include <vector>

namespace exactdot::simtcc {

/// The host compiler that the user has chosen by SIMTCC_CXX, else the one that built simtcc, else the usual ones.
std::string default_compiler();

/// Runs a program, found in PATH, and returns its exit status; 127 if it cannot be started, 128 + n for signal n.
/// Sends its output and its errors to files, if these are named.
int run_program(const std::vector<std::string>& command, const std::string& output = "",
                const std::string& errors = "");

std::string read_file(const std::string& path);
void write_file(const std::string& path, const std::string& text);
void write_stdout(const std::string& text);

/// A folder for intermediate files, removed with all that it holds: by the destructor, exit() or a signal that ends
/// the program. One at a time.
class temporary_folder {
 public:
  temporary_folder();
  ~temporary_folder();
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;
  [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace exactdot::simtcc

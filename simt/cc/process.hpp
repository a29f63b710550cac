// Child processes and temporary files.
#pragma once

#include <string>
#include <vector>

namespace exactdot::simtcc {

/// The host compiler that the user has chosen by SIMTCC_CXX, else the one that built simtcc, else the usual ones.
std::string default_compiler();

struct child_settings {
  std::string output = {}, errors = {};       // files; "": those of this program
  std::vector<std::string> environment = {};  // further variables, NAME=VALUE
  unsigned seconds = 0;                       // after which it is killed with all its children; 0: no limit
  unsigned long file_bytes = 0;               // largest file that it may write; 0: no limit
};

constexpr int status_of_timeout = -1;

/// Runs a program, found in PATH, and returns its exit status; 127 if it cannot be started, 128 + n for signal n. A
/// program with a limit of time reads nothing.
int run_program(const std::vector<std::string>& command, const child_settings& settings = {});

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

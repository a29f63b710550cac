// The program under test as a child process.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

namespace cli_test {

/// Returns why no pseudo-terminal can be opened, or an empty string: a reason to skip a test.
[[nodiscard]] std::string terminal_fault();

struct outcome {
  int status = -1;  ///< exit status; -1: ended by a signal
  int signal = 0;   ///< signal that ended it; 0: none
  std::string out, err;
};

struct process_settings {
  std::string folder;              ///< folder of the files for stdout and stderr
  std::string out_path;            ///< another file for stdout
  bool err_is_terminal = false;    ///< stderr is a pseudo-terminal; requires that terminal_fault() is empty
  std::function<void()> in_child;  ///< called in the child before the program starts
};

/// A running program. wait() must be called once.
class process {
 public:
  process(const std::vector<std::string>& arguments, process_settings settings);
  ~process();
  process(const process&) = delete;
  process& operator=(const process&) = delete;

  [[nodiscard]] pid_t id() const { return id_; }
  /// Reads from the terminal until `text` arrives, the program ends or 60 s pass. Returns whether it arrived.
  bool read_terminal_until(const std::string& text);
  /// Waits until the program maps this file or ends. Returns whether it is mapped.
  bool wait_until_mapped(const std::string& path);
  void send(int signal_number);
  outcome wait();

 private:
  void exec(const std::vector<std::string>& arguments);
  [[nodiscard]] bool has_ended();

  process_settings settings_;
  std::string out_path_, err_path_;
  int terminal_ = -1;
  std::string terminal_text_;
  pid_t id_ = -1;
  int raw_status_ = 0;
  bool ended_ = false;
};

}  // namespace cli_test

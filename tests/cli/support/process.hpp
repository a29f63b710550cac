// The program under test as a child process.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

namespace cli_test {

/// Why no pseudo-terminal can be had here, for tests to be skipped by; empty where one can.
[[nodiscard]] std::string terminal_fault();

struct outcome {
  int status = -1;  ///< the exit status; -1 when a signal ended it
  int signal = 0;   ///< the signal that ended it, if one did
  std::string out, err;
};

struct process_settings {
  std::string folder;              ///< for the files that take stdout and stderr
  std::string out_path;            ///< where stdout goes instead
  bool err_is_terminal = false;    ///< stderr is a pseudo-terminal; only where terminal_fault() is empty
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
  /// Reads from the terminal until `text` has come, or the program has ended, a minute at most. True in the first
  /// case.
  bool read_terminal_until(const std::string& text);
  /// Waits until a file of that name is mapped into the program, or the program has ended. True in the first case.
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

// The program under test as a child process; see process.hpp.
#include "support/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <thread>
#include <utility>

#include "support/temporary_folder.hpp"

namespace cli_test {
namespace {

constexpr std::chrono::seconds time_limit{60};

/// Opens a pseudo-terminal and returns the descriptor of its master side; -1 and errno on failure.
int open_terminal() {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (terminal < 0 || (grantpt(terminal) == 0 && unlockpt(terminal) == 0)) return terminal;
  const int fault = errno;
  close(terminal);
  errno = fault;
  return -1;
}

void redirect(const std::string& path, int target) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOCTTY, 0600);
  if (file < 0 || dup2(file, target) < 0) _exit(126);
}

}  // namespace

std::string terminal_fault() {
  const int terminal = open_terminal();
  if (terminal < 0) return std::string("no pseudo-terminal: ") + std::strerror(errno);
  const char* const name = ptsname(terminal);
  const int other_end = name != nullptr ? open(name, O_WRONLY | O_NOCTTY | O_CLOEXEC) : -1;
  const std::string fault = other_end < 0 ? std::string("no pseudo-terminal: ") + std::strerror(errno) : "";
  if (other_end >= 0) close(other_end);
  close(terminal);
  return fault;
}

process::process(const std::vector<std::string>& arguments, process_settings settings)
    : settings_(std::move(settings)) {
  static std::atomic<int> serial{0};
  const std::string stem = settings_.folder + "/.stream-" + std::to_string(serial++);
  out_path_ = settings_.out_path.empty() ? stem + ".out" : settings_.out_path;
  err_path_ = stem + ".err";
  if (settings_.err_is_terminal) {
    terminal_ = open_terminal();
    if (terminal_ < 0) throw std::runtime_error("no pseudo-terminal");
    err_path_ = ptsname(terminal_);
  }
  id_ = fork();
  if (id_ < 0) throw std::runtime_error("cannot fork");
  if (id_ == 0) exec(arguments);
}

void process::exec(const std::vector<std::string>& arguments) {
  redirect(out_path_, STDOUT_FILENO);
  redirect(err_path_, STDERR_FILENO);
  std::vector<char*> pointers{const_cast<char*>(EXACTDOT_PROGRAM)};
  for (const std::string& argument : arguments) pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(nullptr);
  if (settings_.in_child) settings_.in_child();
  execv(pointers[0], pointers.data());
  _exit(127);
}

process::~process() {
  if (!ended_ && id_ > 0) {
    kill(id_, SIGKILL);
    waitpid(id_, nullptr, 0);
  }
  if (terminal_ >= 0) close(terminal_);
}

bool process::has_ended() {
  if (!ended_) ended_ = waitpid(id_, &raw_status_, WNOHANG) == id_;
  return ended_;
}

bool process::read_terminal_until(const std::string& text) {
  const auto deadline = std::chrono::steady_clock::now() + time_limit;
  while (terminal_text_.find(text) == std::string::npos) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    const bool ended = has_ended();  // tested before the read, so the last output is read
    pollfd waiting{terminal_, POLLIN, 0};
    std::array<char, 4096> buffer;
    const ssize_t count = poll(&waiting, 1, ended ? 0 : 50) > 0 ? read(terminal_, buffer.data(), buffer.size()) : 0;
    if (count > 0) terminal_text_.append(buffer.data(), static_cast<std::size_t>(count));
    if (count <= 0 && ended) return false;
  }
  return true;
}

bool process::wait_until_mapped(const std::string& path) {
  while (!has_ended()) {
    if (read_file("/proc/" + std::to_string(id_) + "/maps").find(path) != std::string::npos) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

void process::send(int signal_number) { kill(id_, signal_number); }

outcome process::wait() {
  outcome result;
  if (terminal_ >= 0) {
    read_terminal_until(std::string(1, '\0'));  // never printed: reads to the end
    result.err = terminal_text_;
  }
  if (!ended_) waitpid(id_, &raw_status_, 0);
  ended_ = true;
  if (WIFEXITED(raw_status_)) result.status = WEXITSTATUS(raw_status_);
  if (WIFSIGNALED(raw_status_)) result.signal = WTERMSIG(raw_status_);
  if (settings_.out_path.empty()) result.out = read_file(out_path_);
  if (terminal_ < 0) result.err = read_file(err_path_);
  return result;
}

}  // namespace cli_test

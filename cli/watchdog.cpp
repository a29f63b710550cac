// Watchdog; see watchdog.hpp.
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cli/watchdog.hpp>
#include <csignal>
#include <system_error>

namespace exactdot::cli {
namespace {

[[noreturn]] void fail(int error_number, const char* action) {
  throw std::system_error(error_number, std::generic_category(), action);
}

/// Starts the program with its standard output in a pipe, whose reading end it stores in `reading`.
pid_t start(const std::string& program, const std::vector<std::string>& arguments, int& reading) {
  std::array<int, 2> pipe{};
  if (pipe2(pipe.data(), O_CLOEXEC) != 0) fail(errno, "creating a pipe");
  std::vector<char*> words{const_cast<char*>("exactdot")};
  for (const std::string& word : arguments) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, pipe[1], STDOUT_FILENO);
  pid_t child = 0;
  const int fault = posix_spawn(&child, program.c_str(), &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(pipe[1]);
  if (fault != 0) {
    close(pipe[0]);
    fail(fault, "starting a process for a hazard that may hang");
  }
  reading = pipe[0];
  return child;
}

/// Reads until the other end is closed. Returns false if the deadline comes first.
bool read_all(int from, std::chrono::steady_clock::time_point deadline, std::string& text) {
  std::array<char, 4096> buffer{};
  while (true) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
    pollfd ready{from, POLLIN, 0};
    const int found = poll(&ready, 1, static_cast<int>(std::max<std::int64_t>(left, 0)));
    if (found < 0 && errno != EINTR) return false;
    if (found == 0) return false;
    if (found < 0) continue;
    const ssize_t size = read(from, buffer.data(), buffer.size());
    if (size == 0) return true;
    if (size > 0) text.append(buffer.data(), static_cast<std::size_t>(size));
  }
}

}  // namespace

process_result run_with_time_limit(const std::vector<std::string>& arguments, std::chrono::milliseconds time_limit,
                                   const std::string& program) {
  process_result result;
  int reading = -1;
  const pid_t child = start(program, arguments, reading);
  result.timed_out = !read_all(reading, std::chrono::steady_clock::now() + time_limit, result.output);
  close(reading);
  if (result.timed_out) kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status)) result.status = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  return result;
}

}  // namespace exactdot::cli

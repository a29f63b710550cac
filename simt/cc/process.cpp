// POSIX processes, and files of bytes.
//
// The temporary folder is removed however the program ends, unless it is killed (SIGKILL): exit() does not call
// destructors, so a handler of exit removes it; SIGINT, SIGTERM, SIGHUP and SIGPIPE end the running child first.
#include "process.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "options.hpp"

namespace exactdot::simtcc {
namespace {

void redirect(const std::string& path, int descriptor) {
  if (path.empty()) return;
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (file < 0) _exit(127);
  dup2(file, descriptor);
  close(file);
}

/// Of the one temporary folder; empty if there is none.
std::string& folder() {
  static std::string path;
  return path;
}

void remove_folder() {
  std::error_code failure;
  if (!folder().empty()) std::filesystem::remove_all(folder(), failure);
  folder().clear();
}

volatile std::sig_atomic_t stopped_by = 0, time_is_over = 0;

constexpr int stopping_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};

void on_signal(int signal) { stopped_by = signal; }

[[noreturn]] void stop() {
  remove_folder();
  std::signal(stopped_by, SIG_DFL);
  std::raise(stopped_by);
  std::_Exit(2);  // the signal is blocked
}

/// A signal that is ignored, as under nohup, stays ignored. The end of a child needs a handler to wake
/// sigsuspend().
void catch_signals() {
  struct sigaction child_ends {};
  child_ends.sa_handler = [](int) {};
  sigaction(SIGCHLD, &child_ends, nullptr);
  struct sigaction alarm_comes {};
  alarm_comes.sa_handler = [](int) { time_is_over = 1; };
  sigaction(SIGALRM, &alarm_comes, nullptr);
  for (const int signal : stopping_signals) {
    struct sigaction action {};
    sigaction(signal, nullptr, &action);
    if (action.sa_handler == SIG_IGN) continue;
    action = {};
    action.sa_handler = on_signal;
    sigaction(signal, &action, nullptr);
  }
}

/// In a child: a signal before its program begins ends it, as one afterwards does.
void stop_catching_signals() {
  for (const int signal : stopping_signals) {
    struct sigaction action {};
    sigaction(signal, nullptr, &action);
    if (action.sa_handler == on_signal) std::signal(signal, SIG_DFL);
  }
}

/// Blocks the signals that end a wait, so that none comes between a look at what has happened and the wait for
/// more.
class blocked_signals {
 public:
  blocked_signals() {
    sigset_t blocked;
    sigemptyset(&blocked);
    for (const int signal : stopping_signals) sigaddset(&blocked, signal);
    sigaddset(&blocked, SIGCHLD);
    sigaddset(&blocked, SIGALRM);
    sigprocmask(SIG_BLOCK, &blocked, &before_);
  }
  ~blocked_signals() { unblock(); }
  blocked_signals(const blocked_signals&) = delete;
  blocked_signals& operator=(const blocked_signals&) = delete;

  void unblock() const { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  /// Returns when one has come.
  void wait() const { sigsuspend(&before_); }

 private:
  sigset_t before_{};
};

/// Whether the child has ended; it is not waited for yet, so its number stays that of its process group.
bool has_ended(pid_t child) {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != 0;
}

/// The status of the child, which a signal ends first; with a limit of time the child is a process group, and what
/// is left of it ends with the child.
int status_of(pid_t child, const blocked_signals& signals, unsigned seconds) {
  int status = 0;
  time_is_over = 0;
  alarm(seconds);
  while (!has_ended(child)) {
    if (stopped_by != 0) kill(seconds != 0 ? -child : child, SIGTERM);
    if (time_is_over != 0) kill(-child, SIGKILL);
    signals.wait();
  }
  alarm(0);
  if (seconds != 0) kill(-child, SIGKILL);
  waitpid(child, &status, 0);
  return status;
}

/// In a child with a limit of time: a process group of its own, which can be killed as a whole, without input.
void isolate() {
  setpgid(0, 0);
  const int nothing = open("/dev/null", O_RDONLY);
  if (nothing < 0) _exit(127);
  dup2(nothing, 0);
  close(nothing);
}

[[noreturn]] void become(char* const* arguments, const child_settings& settings) {
  redirect(settings.output, 1);
  redirect(settings.errors, 2);
  for (const std::string& variable : settings.environment) putenv(const_cast<char*>(variable.c_str()));
  if (settings.file_bytes != 0) {
    const rlimit limit{settings.file_bytes, settings.file_bytes};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  execvp(arguments[0], arguments);
  _exit(127);
}

/// Whether a program of this name is here, or in a folder of PATH.
bool is_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return access(name.c_str(), X_OK) == 0;
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (access((folder + '/' + name).c_str(), X_OK) == 0) return true;
  }
  return false;
}

}  // namespace

/// The user's choice, else the compiler that built simtcc, else the usual ones.
std::string default_compiler() {
  const char* const chosen = std::getenv("SIMTCC_CXX");
  if (chosen != nullptr && *chosen != '\0') return chosen;
  for (const char* name : {EXACTDOT_SIMTCC_COMPILER, "g++", "clang++"}) {
    if (is_program(name)) return name;
  }
  return EXACTDOT_SIMTCC_COMPILER;
}

int run_program(const std::vector<std::string>& command, const child_settings& settings) {
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  std::fflush(nullptr);
  if (stopped_by != 0) stop();
  const int status = [&] {
    const blocked_signals signals;
    const pid_t child = fork();
    if (child < 0) fail(std::string("cannot start a process: ") + std::strerror(errno));
    if (child == 0) {
      if (settings.seconds != 0) isolate();
      stop_catching_signals();
      signals.unblock();
      become(arguments.data(), settings);
    }
    if (settings.seconds != 0) setpgid(child, child);  // as the child does, whoever is first
    return status_of(child, signals, settings.seconds);
  }();
  if (stopped_by != 0) stop();
  if (time_is_over != 0) return status_of_timeout;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  if (!out.flush()) fail("cannot write " + path + ": " + std::strerror(errno));
}

void write_stdout(const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (stopped_by != 0) stop();
  if (!written) fail(std::string("cannot write to stdout: ") + std::strerror(errno));
}

temporary_folder::temporary_folder() {
  const char* const parent = std::getenv("TMPDIR");
  path_ = std::string(parent == nullptr || *parent == '\0' ? "/tmp" : parent) + "/simtcc-XXXXXX";
  catch_signals();  // before there is a folder to remove
  if (mkdtemp(path_.data()) == nullptr) fail("cannot create a folder like " + path_ + ": " + std::strerror(errno));
  folder() = path_;
  std::atexit(remove_folder);
}

temporary_folder::~temporary_folder() { remove_folder(); }

}  // namespace exactdot::simtcc

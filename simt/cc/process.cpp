// POSIX processes, and files of bytes.
#include "process.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

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

}  // namespace

int run_program(const std::vector<std::string>& command, const std::string& output, const std::string& errors) {
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) fail(std::string("cannot start a process: ") + std::strerror(errno));
  if (child == 0) {
    redirect(output, 1);
    redirect(errors, 2);
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
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

temporary_folder::temporary_folder() {
  const char* const parent = std::getenv("TMPDIR");
  path_ = std::string(parent == nullptr || *parent == '\0' ? "/tmp" : parent) + "/simtcc-XXXXXX";
  if (mkdtemp(path_.data()) == nullptr) fail("cannot create a folder like " + path_ + ": " + std::strerror(errno));
}

temporary_folder::~temporary_folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace exactdot::simtcc

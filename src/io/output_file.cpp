// Writing to a temporary file and renaming it; see output_file.hpp.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <io/fault.hpp>
#include <io/output_file.hpp>

namespace exactdot::io {

std::string link_target(const std::string& path) {
  std::filesystem::path target = path;
  std::error_code fault;
  constexpr int max_links = 40;  // the limit of Linux; ends cycles
  for (int links = 0; links < max_links && std::filesystem::is_symlink(target, fault); ++links) {
    const std::filesystem::path next = std::filesystem::read_symlink(target, fault);
    if (fault) break;
    target = target.parent_path() / next;
  }
  return target.string();
}

output_file::output_file(const std::string& path) : path_(path) {
  struct stat existing = {};
  const bool exists = stat(path.c_str(), &existing) == 0;
  if (exists && S_ISDIR(existing.st_mode)) fail(path, "cannot write: it is a directory");
  if (exists && !S_ISREG(existing.st_mode)) fail(path, "cannot write: it is not a regular file");
  // The rename would also replace a write-protected file, so test the permission first.
  if (exists && access(path.c_str(), W_OK) != 0) fail_errno(path, "write", errno);
  if (!exists && errno != ENOENT) fail_errno(path, "write", errno);  // for example a cycle of links
  target_ = link_target(path);
  open_temporary();
  if (exists)
    fchmod(descriptor_, existing.st_mode & 07777);  // failure is harmless: some file systems have no modes
}

void output_file::open_temporary() {
  static std::atomic<unsigned> serial{0};
  const std::filesystem::path directory = std::filesystem::path(target_).parent_path();
  do {
    temporary_ = (directory / fmt::format(".exactdot-{}-{}.tmp", getpid(), serial++)).string();
    // Not mkstemp, so that the mode follows the umask.
    descriptor_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (descriptor_ < 0 && errno == EEXIST);
  if (descriptor_ < 0) {
    temporary_.clear();
    fail_errno(path_, "write", errno);
  }
}

output_file::~output_file() {
  if (descriptor_ >= 0) close(descriptor_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void output_file::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_errno(path_, "write", errno);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void output_file::commit() {
  if (fsync(descriptor_) != 0 && errno != EINVAL) fail_errno(path_, "write", errno);
  const int descriptor = descriptor_;
  descriptor_ = -1;
  if (close(descriptor) != 0) fail_errno(path_, "write", errno);
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) fail_errno(path_, "write", errno);
  temporary_.clear();
}

}  // namespace exactdot::io

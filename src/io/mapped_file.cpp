// Mapping of a file; see mapped_file.hpp.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <io/fault.hpp>
#include <io/mapped_file.hpp>
#include <utility>

namespace exactdot::io {
namespace {

const char* kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

/// Closes the descriptor unless released, because a constructor that throws runs no destructor.
class descriptor_guard {
 public:
  explicit descriptor_guard(int descriptor) : descriptor_(descriptor) {}
  ~descriptor_guard() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  descriptor_guard(const descriptor_guard&) = delete;
  descriptor_guard& operator=(const descriptor_guard&) = delete;
  [[nodiscard]] int get() const { return descriptor_; }
  int release() { return std::exchange(descriptor_, -1); }

 private:
  int descriptor_;
};

}  // namespace

mapped_file::mapped_file(std::string path) : path_(std::move(path)) {
  // Without O_NONBLOCK, opening a pipe would wait for a writer.
  descriptor_guard descriptor{open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)};
  if (descriptor.get() < 0) fail_errno(path_, "open", errno);
  struct stat status = {};
  if (fstat(descriptor.get(), &status) != 0) fail_errno(path_, "examine", errno);
  if (!S_ISREG(status.st_mode)) fail(path_, fmt::format("is {}; expected a regular file", kind_of(status.st_mode)));
  modified_ = status.st_mtim;

  const auto size = static_cast<std::size_t>(status.st_size);
  if (size > 0) {
    void* const begin = mmap(nullptr, size, PROT_READ, MAP_SHARED, descriptor.get(), 0);
    if (begin == MAP_FAILED) fail_errno(path_, "map into memory", errno);
    bytes_ = {static_cast<const std::byte*>(begin), size};
    try {
      guard_.emplace(begin, size);
    } catch (const std::exception& exception) {
      munmap(begin, size);
      fail(path_, exception.what());
    }
    madvise(begin, size, MADV_SEQUENTIAL);  // a hint: failure is harmless
  }
  descriptor_ = descriptor.release();
}

mapped_file::~mapped_file() {
  guard_.reset();  // before another mapping can use the addresses
  if (!bytes_.empty()) munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
  close(descriptor_);
}

void mapped_file::check() const {
  struct stat status = {};
  if (fstat(descriptor_, &status) != 0) fail_errno(path_, "examine", errno);
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size < bytes_.size()) {
    fail(path_, fmt::format("was truncated from {} to {} bytes while it was read", bytes_.size(), size));
  }
  if (guard_ && guard_->tripped())
    fail(path_, "could not be read to its end: it was truncated for a time, or the disk failed");
  if (status.st_mtim.tv_sec != modified_.tv_sec || status.st_mtim.tv_nsec != modified_.tv_nsec) {
    fail(path_, "was written to while it was read");
  }
}

}  // namespace exactdot::io

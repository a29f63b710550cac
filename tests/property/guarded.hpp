// Vectors in memory where a stray read shows: NaNs on both sides, and pages that fault next to them.
//
// A read beyond either end by one element brings a NaN into the result, and one beyond the page kills the
// test; the start can lie at any byte, also at one that T would not allow.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace property {

enum class flush { left, right };  // which end of the vector touches a guard page

template <class T>
class guarded {
 public:
  /// A copy of x, `gap` bytes away from the guard page on the side `where`.
  guarded(const std::vector<T>& x, flush where, std::size_t gap) {
    const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t bytes = x.size() * sizeof(T);
    const std::size_t inner = (bytes + gap) / page * page + page;
    size_ = inner + 2 * page;
    void* const memory = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::runtime_error("mmap failed");
    base_ = static_cast<std::byte*>(memory);
    std::memset(base_, 0xff, size_);  // NaNs of either type, from any byte on
    data_ = base_ + page + (where == flush::left ? gap : inner - bytes - gap);
    if (bytes != 0) std::memcpy(data_, x.data(), bytes);
    if (mprotect(base_, page, PROT_NONE) != 0 || mprotect(base_ + page + inner, page, PROT_NONE) != 0) {
      munmap(base_, size_);
      throw std::runtime_error("mprotect failed");
    }
  }
  ~guarded() { munmap(base_, size_); }
  guarded(const guarded&) = delete;
  guarded& operator=(const guarded&) = delete;

  [[nodiscard]] const T* data() const { return reinterpret_cast<const T*>(data_); }

 private:
  std::byte* base_;
  std::byte* data_;
  std::size_t size_;
};

}  // namespace property

// Vectors between NaNs and inaccessible pages, so that reads out of bounds are detected.
//
// A read of the next element beyond either end makes the result a NaN; a read beyond the page ends the test. The
// vector may start at any byte address, also at one that is not aligned for T.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace property {

enum class guard_side { left, right };  // the end of the vector next to a guard page

template <class T>
class guarded_vector {
 public:
  /// A copy of x, `gap` bytes away from the guard page on one side.
  guarded_vector(const std::vector<T>& x, guard_side side, std::size_t gap) {
    const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t bytes = x.size() * sizeof(T);
    const std::size_t inner = (bytes + gap) / page * page + page;
    size_ = inner + 2 * page;
    void* const memory = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::runtime_error("mmap failed");
    base_ = static_cast<std::byte*>(memory);
    std::memset(base_, 0xff, size_);  // NaNs of both types at every address
    data_ = base_ + page + (side == guard_side::left ? gap : inner - bytes - gap);
    if (bytes != 0) std::memcpy(data_, x.data(), bytes);
    if (mprotect(base_, page, PROT_NONE) != 0 || mprotect(base_ + page + inner, page, PROT_NONE) != 0) {
      munmap(base_, size_);
      throw std::runtime_error("mprotect failed");
    }
  }
  ~guarded_vector() { munmap(base_, size_); }
  guarded_vector(const guarded_vector&) = delete;
  guarded_vector& operator=(const guarded_vector&) = delete;

  [[nodiscard]] const T* data() const { return reinterpret_cast<const T*>(data_); }

 private:
  std::byte* base_;
  std::byte* data_;
  std::size_t size_;
};

}  // namespace property

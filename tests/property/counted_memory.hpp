// Counts the bytes that a program allocates with new: those that are allocated, and the most that were at a time.
// Include it in one source of a program.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>

namespace counted_memory {

inline std::atomic<std::size_t> allocated{0}, peak{0};

/// Memory behind a header of `alignment` bytes that ends with the size.
inline void* allocate(std::size_t bytes, std::size_t alignment) {
  const std::size_t all = (bytes + 2 * alignment - 1) / alignment * alignment;
  auto* const memory = static_cast<char*>(std::aligned_alloc(alignment, all));
  if (memory == nullptr) throw std::bad_alloc();
  std::memcpy(memory + alignment - sizeof bytes, &bytes, sizeof bytes);
  const std::size_t now = allocated += bytes;
  for (std::size_t most = peak; now > most && !peak.compare_exchange_weak(most, now);) {
  }
  return memory + alignment;
}
inline void release(void* memory, std::size_t alignment) {
  if (memory == nullptr) return;
  std::size_t bytes = 0;
  std::memcpy(&bytes, static_cast<char*>(memory) - sizeof bytes, sizeof bytes);
  allocated -= bytes;
  std::free(static_cast<char*>(memory) - alignment);
}

/// The most bytes that a call has allocated at a time.
template <class Call>
std::size_t peak_of(Call call) {
  const std::size_t before = allocated;
  peak = before;
  call();
  return peak - before;
}

constexpr std::size_t usual = alignof(std::max_align_t);

}  // namespace counted_memory

[[gnu::noinline]] void* operator new(std::size_t bytes) {
  return counted_memory::allocate(bytes, counted_memory::usual);
}
[[gnu::noinline]] void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return counted_memory::allocate(bytes, static_cast<std::size_t>(alignment));
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  counted_memory::release(memory, counted_memory::usual);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  counted_memory::release(memory, counted_memory::usual);
}
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t alignment) noexcept {
  counted_memory::release(memory, static_cast<std::size_t>(alignment));
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t alignment) noexcept {
  counted_memory::release(memory, static_cast<std::size_t>(alignment));
}

// Arrays, too: those of a sanitizer's runtime would not come here.
[[gnu::noinline]] void* operator new[](std::size_t bytes) { return operator new(bytes); }
[[gnu::noinline]] void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return operator new(bytes, alignment);
}
[[gnu::noinline]] void operator delete[](void* memory) noexcept { operator delete(memory); }
[[gnu::noinline]] void operator delete[](void* memory, std::size_t) noexcept { operator delete(memory); }
[[gnu::noinline]] void operator delete[](void* memory, std::align_val_t alignment) noexcept {
  operator delete(memory, alignment);
}
[[gnu::noinline]] void operator delete[](void* memory, std::size_t, std::align_val_t alignment) noexcept {
  operator delete(memory, alignment);
}

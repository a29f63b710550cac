// Asynchronous copies by the threads of a group, for cuda::memcpy_async, pipelines and cooperative groups.
//
// A copy from global to shared memory whose addresses and size are multiples of 4, 8 or 16 becomes cp.async of that
// size, as on a GPU; every other one is an ordinary copy. Threads of a group copy alternating pieces.
#pragma once

#include <cuda_runtime.h>

#include <exactdot/simt/async_on_cpu.hpp>

namespace cuda {

/// A size that is a multiple of an alignment that both addresses have.
template <std::size_t alignment>
struct aligned_size_t {
  static constexpr std::size_t align = alignment;
  std::size_t value;
  constexpr explicit aligned_size_t(std::size_t size) : value(size) {}
  constexpr operator std::size_t() const { return value; }
};

namespace detail {

EXACTDOT_SIMT_CALL inline void cp_async(void* to, const void* from, std::size_t bytes) {
  exactdot::simt::detail::cp_async(to, from, bytes, __builtin_return_address(0));
}
EXACTDOT_SIMT_CALL inline void wait_groups(int groups_left) {
  exactdot::simt::detail::wait_group(false, groups_left, false, __builtin_return_address(0));
}

/// Copies the pieces of one of `threads` threads.
[[gnu::always_inline]] inline void copy_share(void* to, const void* from, std::size_t bytes, unsigned rank,
                                              unsigned threads) {
  const std::size_t bits = reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from) | bytes;
  const std::size_t piece = bits % 16 == 0 ? 16 : bits % 8 == 0 ? 8 : bits % 4 == 0 ? 4 : 1;
  char* const target = static_cast<char*>(to);
  const char* const source = static_cast<const char*>(from);
  const bool asynchronous =
      piece != 1 && bytes != 0 && exactdot::simt::detail::is_shared(to) && !exactdot::simt::detail::is_shared(from);
  for (std::size_t i = rank * piece; i < bytes; i += threads * piece) {
    if (asynchronous) {
      cp_async(target + i, source + i, piece);
    } else {
      for (std::size_t j = i; j < i + piece; ++j) target[j] = source[j];
    }
  }
}

}  // namespace detail
}  // namespace cuda

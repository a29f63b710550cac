// bus_guard: reading a mapped file that somebody truncates yields zeros and a flag, not a dead process.
//
// The kernel answers a read beyond the end of a mapped file with SIGBUS. One handler, installed with the
// first guard, looks the address up in a fixed table of atomics, replaces the lost pages by zero pages and
// raises the guard's flag; the owner must read it before he believes what was computed. Addresses of
// nobody here go to the handler that was there before.
#pragma once

#include <cstddef>

namespace exactdot::io {

class bus_guard {
 public:
  /// Guards [begin, begin + size), the whole of one file mapping. Throws std::runtime_error when the table
  /// (256 mappings) is full.
  bus_guard(const void* begin, std::size_t size);
  ~bus_guard();
  bus_guard(const bus_guard&) = delete;
  bus_guard& operator=(const bus_guard&) = delete;

  /// True once any thread has read a page that was not there. Happens-after those reads for whoever has
  /// joined or synchronised with their threads.
  [[nodiscard]] bool tripped() const noexcept;

 private:
  std::size_t slot_;
};

}  // namespace exactdot::io

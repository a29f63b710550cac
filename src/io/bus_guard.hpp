// bus_guard: if another process truncates a mapped file, reads return zeros and a flag is set; no signal is raised.
//
// The kernel sends SIGBUS for a read beyond the end of a mapped file. One handler, installed with the first guard,
// looks the address up in a fixed table of atomics, replaces the lost pages by zero pages and sets the guard's
// flag. The caller must test the flag before it uses a result. The previous handler receives all other addresses.
#pragma once

#include <cstddef>

namespace exactdot::io {

class bus_guard {
 public:
  /// Guards [begin, begin + size), which must be a whole file mapping. Throws std::runtime_error if the table (256
  /// mappings) is full.
  bus_guard(const void* begin, std::size_t size);
  ~bus_guard();
  bus_guard(const bus_guard&) = delete;
  bus_guard& operator=(const bus_guard&) = delete;

  /// Returns whether a thread read a lost page. Covers all threads with which the caller has synchronised.
  [[nodiscard]] bool tripped() const noexcept;

 private:
  std::size_t slot_;
};

}  // namespace exactdot::io

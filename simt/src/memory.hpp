// Simulated device memory: one reserved range of addresses with room between the buffers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <utility>

#include "region.hpp"

namespace exactdot::simt {

class device_memory {
 public:
  static device_memory& instance();

  /// Not initialised: filled with 0xcb, a large negative number in every type. `shared`: a block's dynamic shared
  /// memory. Throws exactdot::error.
  void* allocate(std::size_t bytes, bool shared = false, std::uint32_t block = 0);
  void release(void* memory);
  void mark_written(std::uintptr_t address, std::size_t bytes);

  [[nodiscard]] bool holds(std::uintptr_t address) const { return address - base_ < reserved_; }
  /// The buffer that holds this address; null between buffers.
  [[nodiscard]] region* find(std::uintptr_t address);
  /// The buffer that the address is in or nearest to, for messages; null if there is none.
  [[nodiscard]] const region* nearest(std::uintptr_t address) const;
  /// The start and size of the released buffer that the address was in; {0, 0} if it was in none, or in one too
  /// long ago.
  [[nodiscard]] std::pair<std::uintptr_t, std::size_t> find_released(std::uintptr_t address) const;
  void next_launch() { ++launches_; }
  [[nodiscard]] std::uint32_t launch() const { return launches_; }

 private:
  device_memory();
  static constexpr std::size_t most_released = 256;
  static constexpr std::size_t gap = 4096;  // between buffers, so that a near miss hits nothing
  std::uintptr_t base_ = 0;
  std::size_t reserved_ = 0;
  std::map<std::uintptr_t, region> live_;
  region* last_ = nullptr;
  std::deque<std::pair<std::uintptr_t, std::size_t>> released_;  // the latest, not yet used again
  std::uint32_t launches_ = 0;
};

}  // namespace exactdot::simt

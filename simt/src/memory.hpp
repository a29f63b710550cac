// Simulated device memory: a first-fit allocator in one reserved address range, with gaps between the buffers.
//
// A gap is at least 4 KiB, so that an access just outside of a buffer reaches no other buffer.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exactdot/simt/vector_types.hpp>
#include <map>
#include <utility>
#include <vector>

#include "region.hpp"

namespace exactdot::simt {

struct launch_shape {
  uint3 grid, block;
};

class device_memory {
 public:
  static device_memory& instance();

  /// Allocates uninitialised memory, filled with 0xcb: a large negative number in every type. `shared`: a block's
  /// dynamic shared memory. Throws exactdot::error.
  void* allocate(std::size_t bytes, bool shared = false, std::uint32_t block = 0);
  void release(void* memory);
  void mark_written(std::uintptr_t address, std::size_t bytes);
  void mark_read(std::uintptr_t address, std::size_t bytes);

  [[nodiscard]] bool holds(std::uintptr_t address) const { return address - base_ < reserved_; }
  /// Returns the buffer that contains this address; null between buffers.
  [[nodiscard]] region* find(std::uintptr_t address) {
    region*& known = found_[address / found_bytes % found_.size()];
    return known != nullptr && known->holds(address) ? known : find(address, known);
  }
  /// The same if it was found before, and none of the same hash since; else null.
  [[nodiscard]] const region* find_again(std::uintptr_t address) const {
    const region* const known = found_[address / found_bytes % found_.size()];
    return known != nullptr && known->holds(address) ? known : nullptr;
  }
  /// Returns the buffer that contains the address or is nearest to it, for messages; null without buffers.
  [[nodiscard]] const region* nearest(std::uintptr_t address) const;
  /// Returns start and size of the released buffer that contained the address. Returns {0, 0} if none did, or if it
  /// is no longer among the last 256.
  [[nodiscard]] std::pair<std::uintptr_t, std::size_t> find_released(std::uintptr_t address) const;
  /// Memory of the host that kernels may use. Returns false if a range that overlaps is registered, or if none
  /// begins there.
  bool register_host(void* first, std::size_t bytes);
  bool unregister_host(void* first);
  [[nodiscard]] region* find_registered(std::uintptr_t address);
  void next_launch(const launch_shape& shape) { ++launches_, shapes_.push_back(shape); }
  [[nodiscard]] const launch_shape& shape_of(std::uint32_t launch) const { return shapes_[launch - 1]; }
  /// Calls the action for each buffer.
  template <class Action>
  void for_each_buffer(Action action) const {
    for (const auto& [start, buffer] : live_) {
      if (!buffer.shared) action(buffer);
    }
  }
  [[nodiscard]] std::uint32_t launch() const { return launches_; }

 private:
  device_memory();
  [[nodiscard]] std::uintptr_t free_range(std::size_t size) const;
  region* find(std::uintptr_t address, region*& known);
  static constexpr std::size_t max_released = 256;
  static constexpr std::size_t gap = 4096;
  std::uintptr_t base_ = 0;
  std::size_t reserved_ = 0;
  std::map<std::uintptr_t, region> live_;
  static constexpr std::size_t found_bytes = std::size_t{1} << 14;
  std::array<region*, 64> found_{};                 // buffers found last, by a hash of the address
  std::map<std::uintptr_t, region> registered_;     // memory of the host
  std::map<std::uintptr_t, std::size_t> released_;  // the last ones: size by address
  std::deque<std::uintptr_t> order_of_release_;     // their addresses, oldest first
  std::uint32_t launches_ = 0;
  std::vector<launch_shape> shapes_;  // of all launches
};

}  // namespace exactdot::simt

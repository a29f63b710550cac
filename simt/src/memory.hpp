// Simulated device memory: one reserved range of addresses with room between the buffers, and what is remembered of
// each four bytes of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "order.hpp"

namespace exactdot::simt {

struct allocation {
  std::uintptr_t start = 0;
  std::size_t size = 0;
  bool shared = false;        // a block's dynamic shared memory
  std::uint32_t block = 0;    // whose
  std::vector<bool> written;  // each four bytes
};

/// Cells by address, made when first asked for.
class shadow {
 public:
  cell& at(std::uintptr_t address);
  void forget() { pages_.clear(), last_ = nullptr; }

 private:
  static constexpr std::size_t words = 1024;
  struct page {
    cell cells[words];
  };
  std::unordered_map<std::uintptr_t, std::unique_ptr<page>> pages_;
  std::uintptr_t last_number_ = 0;
  page* last_ = nullptr;
};

class device_memory {
 public:
  static device_memory& instance();

  /// Not initialised: filled with 0xcb, a large negative number in every type. Throws exactdot::error.
  void* allocate(std::size_t bytes, bool shared = false, std::uint32_t block = 0);
  void release(void* memory);
  void mark_written(std::uintptr_t address, std::size_t bytes);

  [[nodiscard]] bool holds(std::uintptr_t address) const { return address - base_ < reserved_; }
  /// The buffer that holds this address; null between buffers.
  [[nodiscard]] allocation* find(std::uintptr_t address);
  /// The buffer at or below the address, for messages.
  [[nodiscard]] const allocation* below(std::uintptr_t address) const;
  [[nodiscard]] shadow& cells() { return cells_; }
  void next_launch() { ++launches_; }
  [[nodiscard]] std::uint32_t launch() const { return launches_; }

 private:
  device_memory();
  static constexpr std::size_t gap = 4096;  // between buffers, so that a near miss hits nothing
  std::uintptr_t base_ = 0;
  std::size_t reserved_ = 0;
  std::map<std::uintptr_t, allocation> live_;
  allocation* last_ = nullptr;
  shadow cells_;
  std::uint32_t launches_ = 0;
};

}  // namespace exactdot::simt

// Region: a range of simulated memory that a kernel sees as one object, with its shadow memory.
//
// A region is a buffer, a shared variable or the writable segment of a program. Its shadow memory records which
// bytes were ever written and, per four bytes, the latest accesses.
// Cost: one bit per byte, and 20 bytes per byte that a kernel touches, allocated in pages for 1 KiB of memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "order.hpp"

namespace exactdot::simt {

/// What unwritten memory holds.
inline constexpr unsigned char fill_byte = 0xcb;

class byte_set {
 public:
  explicit byte_set(std::size_t size) : words_((size + 63) / 64) {}

  void insert(std::size_t first, std::size_t count) {
    for_words(first, count, [this](std::size_t word, std::uint64_t mask) {
      words_[word] |= mask;
      return true;
    });
  }
  [[nodiscard]] bool contains(std::size_t first, std::size_t count) const {
    return for_words(first, count,
                     [this](std::size_t word, std::uint64_t mask) { return (words_[word] & mask) == mask; });
  }
  [[nodiscard]] bool intersects(std::size_t first, std::size_t count) const {
    return !for_words(first, count,
                      [this](std::size_t word, std::uint64_t mask) { return (words_[word] & mask) == 0; });
  }

 private:
  /// Calls the action for each word and mask until it returns false. Returns whether every call returned true.
  template <class Action>
  static bool for_words(std::size_t first, std::size_t count, Action action) {
    for (std::size_t i = first, next = 0; i < first + count; i = next) {
      next = std::min(first + count, i / 64 * 64 + 64);
      const std::uint64_t ones = next - i == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << (next - i)) - 1;
      if (!action(i / 64, ones << i % 64)) return false;
    }
    return true;
  }
  std::vector<std::uint64_t> words_;
};

class region {
 public:
  region(std::uintptr_t first, std::size_t bytes, bool is_shared, bool all_written)
      : start(first),
        size(bytes),
        shared(is_shared),
        written_(all_written ? 0 : bytes),
        all_written_(all_written) {}

  std::uintptr_t start;
  std::size_t size;
  bool shared;
  std::uint32_t block = 0;      // if shared: number of the block that it belongs to
  region* window_of = nullptr;  // the shared variable whose bytes it holds while its block does not run

  [[nodiscard]] bool holds(std::uintptr_t address, std::size_t bytes = 1) const {
    return address - start < size && bytes <= size - (address - start);
  }
  [[nodiscard]] bool is_written(std::uintptr_t address, std::size_t bytes) const {
    return all_written_ || written_.contains(address - start, bytes);
  }
  [[nodiscard]] bool is_partly_written(std::uintptr_t address, std::size_t bytes) const {
    return all_written_ || written_.intersects(address - start, bytes);
  }
  void mark_written(std::uintptr_t address, std::size_t bytes) {
    if (!all_written_) written_.insert(address - start, bytes);
  }
  /// Returns the shadow cell of the four bytes at a multiple of 4.
  [[nodiscard]] shadow_cell& cell_at(std::uintptr_t address) {
    const std::size_t word = address / 4 - start / 4;
    if (pages_.empty()) pages_.resize((size + 3) / 4 / cells_per_page + 1);
    auto& page = pages_[word / cells_per_page];
    if (!page) page = std::make_unique<shadow_cell[]>(cells_per_page);
    return page[word % cells_per_page];
  }

 private:
  static constexpr std::size_t cells_per_page = 256;
  std::vector<std::unique_ptr<shadow_cell[]>> pages_;
  byte_set written_;
  bool all_written_;
};

}  // namespace exactdot::simt

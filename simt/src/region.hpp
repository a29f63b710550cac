// A stretch of simulated memory that is one thing to a kernel (a buffer, a shared variable, a program's own
// variables), and what is remembered of it: which bytes were ever written, and for each four bytes the latest
// accesses.
//
// Cost: a bit for each byte, and 20 bytes for each byte that a kernel has touched, in pages of 1 KiB of memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "order.hpp"

namespace exactdot::simt {

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

 private:
  /// Until the action says false; whether it never did.
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
  std::uint32_t block = 0;  // whose, if it is shared

  [[nodiscard]] bool holds(std::uintptr_t address, std::size_t bytes = 1) const {
    return address - start < size && bytes <= size - (address - start);
  }
  [[nodiscard]] bool is_written(std::uintptr_t address, std::size_t bytes) const {
    return all_written_ || written_.contains(address - start, bytes);
  }
  void mark_written(std::uintptr_t address, std::size_t bytes) {
    if (!all_written_) written_.insert(address - start, bytes);
  }
  /// The cell of the four bytes at a multiple of 4.
  [[nodiscard]] cell& at(std::uintptr_t address) {
    const std::size_t word = address / 4 - start / 4;
    if (pages_.empty()) pages_.resize((size + 3) / 4 / cells_a_page + 1);
    auto& page = pages_[word / cells_a_page];
    if (!page) page = std::make_unique<cell[]>(cells_a_page);
    return page[word % cells_a_page];
  }

 private:
  static constexpr std::size_t cells_a_page = 256;
  std::vector<std::unique_ptr<cell[]>> pages_;
  byte_set written_;
  bool all_written_;
};

}  // namespace exactdot::simt

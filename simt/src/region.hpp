// Region: a range of simulated memory that a kernel sees as one object, with its shadow memory.
//
// A region is a buffer, a shared variable or the writable segment of a program. Its shadow memory records which
// bytes were ever written, which words kernels wrote or anyone read, and, per four bytes, the latest accesses
// (shadow.hpp).
// Cost: 1.5 bits per byte, and 16 bytes per byte that a kernel touches, allocated in pages for 1 KiB of memory, of
// which there is 1 GiB at most.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "shadow.hpp"

namespace exactdot::simt {

/// What unwritten memory holds.
inline constexpr unsigned char fill_byte = 0xcb;

class byte_set {
 public:
  explicit byte_set(std::size_t size) : words_((size + 63) / 64) {}

  void insert(std::size_t first, std::size_t count) {
    if (is_in_one_word(first, count)) [[likely]] {
      words_[first / 64] |= mask_of(first, count);
      return;
    }
    for_words(first, count, [this](std::size_t word, std::uint64_t mask) {
      words_[word] |= mask;
      return true;
    });
  }
  [[nodiscard]] bool contains(std::size_t first, std::size_t count) const {
    if (is_in_one_word(first, count)) [[likely]]
      return (~words_[first / 64] & mask_of(first, count)) == 0;
    return for_words(first, count,
                     [this](std::size_t word, std::uint64_t mask) { return (words_[word] & mask) == mask; });
  }
  void copy(std::size_t first, const byte_set& from, std::size_t from_first, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t bit = from.words_[(from_first + i) / 64] >> (from_first + i) % 64 & 1;
      std::uint64_t& word = words_[(first + i) / 64];
      word = (word & ~(std::uint64_t{1} << (first + i) % 64)) | bit << (first + i) % 64;
    }
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
      if (!action(i / 64, mask_of(i, next - i))) return false;
    }
    return true;
  }
  static bool is_in_one_word(std::size_t first, std::size_t count) { return count - 1 < 64 - first % 64; }
  /// The bits of a range in one word, of at least one.
  static std::uint64_t mask_of(std::size_t first, std::size_t count) {
    return ~std::uint64_t{0} >> (64 - count) << first % 64;
  }
  std::vector<std::uint64_t> words_;
};

/// Shadow memory of 1 KiB. All pages are in one list, oldest first: beyond max_shadow_bytes the oldest is released,
/// and what it recorded is forgotten. That may hide a race, and makes up none.
class shadow_page {
 public:
  static constexpr std::size_t cells = 256;
  /// `holder`: the pointer to the page, which is reset when it is released.
  explicit shadow_page(std::unique_ptr<shadow_page>& holder) : holder_(&holder), before_(newest) {
    (before_ == nullptr ? oldest : before_->after_) = this;
    newest = this;
    if (++count > max_shadow_bytes / sizeof(shadow_page)) oldest->holder_->reset();
  }
  ~shadow_page() {
    (before_ == nullptr ? oldest : before_->after_) = after_;
    (after_ == nullptr ? newest : after_->before_) = before_;
    --count;
  }
  shadow_page(const shadow_page&) = delete;
  shadow_page& operator=(const shadow_page&) = delete;
  [[nodiscard]] shadow_cell& operator[](std::size_t i) { return cells_[i]; }

  static constexpr std::size_t max_shadow_bytes = std::size_t{1} << 30;

 private:
  static inline shadow_page *oldest = nullptr, *newest = nullptr;
  static inline std::size_t count = 0;
  std::array<shadow_cell, cells> cells_;
  std::unique_ptr<shadow_page>* holder_;
  shadow_page *before_, *after_ = nullptr;
};

class region {
 public:
  region(std::uintptr_t first, std::size_t bytes, bool is_shared, bool all_written)
      : start(first),
        size(bytes),
        shared(is_shared),
        written_(all_written ? 0 : bytes),
        read_(all_written ? 0 : words_of(first, bytes)),
        written_by_kernels_(all_written ? 0 : words_of(first, bytes)),
        all_written_(all_written) {}

  std::uintptr_t start;
  std::size_t size;
  bool shared;
  std::uint32_t block = 0;      // if shared: number of the block that it belongs to
  region* window_of = nullptr;  // the shared variable whose bytes it holds while its block does not run
  bool used_by_host = false;    // managed or page-locked: the host's accesses are not seen

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
  void mark_read(std::uintptr_t address, std::size_t bytes) {
    if (!all_written_) read_.insert(word_at(address), words_of(address, bytes));
  }
  void mark_written_by_kernel(std::uintptr_t address, std::size_t bytes) {
    if (!all_written_) written_by_kernels_.insert(word_at(address), words_of(address, bytes));
  }
  /// The highest address that a kernel has read; and whether that thread had its place from memory, as an index or
  /// a pointer.
  [[nodiscard]] bool is_highest_read(std::uintptr_t address) const { return address > highest_read_; }
  void note_highest_read(std::uintptr_t address, bool is_gathered) {
    highest_read_ = address, highest_is_gathered_ = is_gathered;
  }
  [[nodiscard]] bool highest_is_gathered() const { return highest_is_gathered_; }
  /// Whether reads are recorded; and of the word at an address, whether anything has read it, or a kernel written
  /// it.
  [[nodiscard]] bool records_reads() const { return !all_written_; }
  [[nodiscard]] bool was_read(std::uintptr_t address) const { return read_.contains(word_at(address), 1); }
  [[nodiscard]] bool was_written_by_kernel(std::uintptr_t address) const {
    return written_by_kernels_.contains(word_at(address), 1);
  }
  /// The bytes at `address` count as written if those of another region do, which a copy has read.
  void copy_written(std::uintptr_t address, const region& from, std::uintptr_t from_address, std::size_t bytes) {
    if (!all_written_ && !from.all_written_)
      written_.copy(address - start, from.written_, from_address - from.start, bytes);
  }
  /// Returns the shadow cell of the four bytes at a multiple of 4.
  [[nodiscard, gnu::always_inline]] shadow_cell& cell_at(std::uintptr_t address) {
    const std::size_t word = word_at(address);
    if (pages_.empty()) [[unlikely]]
      pages_.resize((size + 3) / 4 / cells_per_page + 1);
    auto& page = pages_[word / cells_per_page];
    if (!page) [[unlikely]]
      add_page(page);
    return (*page)[word % cells_per_page];
  }
  /// Returns the shadow cell of an address; null if no kernel has accessed memory near it.
  [[nodiscard]] const shadow_cell* find_cell(std::uintptr_t address) const {
    const std::size_t word = word_at(address);
    if (pages_.empty() || !pages_[word / cells_per_page]) return nullptr;
    return &(*pages_[word / cells_per_page])[word % cells_per_page];
  }
  /// Returns the accesses of this launch that those in a cell have replaced. `add`: creates them; else null if
  /// none.
  [[nodiscard, gnu::always_inline]] earlier_accesses* earlier_of(shadow_cell& cell, bool add) {
    if (cell.earlier == 0) {
      if (!add) return nullptr;
      add_earlier(cell);
    }
    return &earlier_[cell.earlier - 1];
  }

 private:
  [[gnu::noinline]] static void add_page(std::unique_ptr<shadow_page>& page) {
    page = std::make_unique<shadow_page>(page);
  }
  [[gnu::noinline]] void add_earlier(shadow_cell& cell) {
    if (earlier_launch_ != cell.launch) earlier_.clear(), earlier_launch_ = cell.launch;
    earlier_.emplace_back();
    cell.earlier = static_cast<std::uint32_t>(earlier_.size());
  }
  [[nodiscard]] std::size_t word_at(std::uintptr_t address) const { return address / 4 - start / 4; }
  [[nodiscard]] static std::size_t words_of(std::uintptr_t address, std::size_t bytes) {
    return bytes == 0 ? 0 : (address + bytes - 1) / 4 - address / 4 + 1;
  }
  static constexpr std::size_t cells_per_page = shadow_page::cells;
  std::vector<std::unique_ptr<shadow_page>> pages_;
  std::vector<earlier_accesses> earlier_;  // of one launch
  std::uint32_t earlier_launch_ = 0;
  byte_set written_;
  byte_set read_, written_by_kernels_;  // sets of words
  bool all_written_;
  std::uintptr_t highest_read_ = 0;
  bool highest_is_gathered_ = false;
};

}  // namespace exactdot::simt

// What a thread remembers of its run: volatile reads that conflict, basic blocks, repeated accesses.
//
// Each is a small object of the thread, changed at every access or basic block.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "copies.hpp"
#include "explanations.hpp"
#include "order.hpp"
#include "shadow.hpp"

namespace exactdot::simt {

/// A volatile read and a volatile write without order (volatile_accesses.cpp).
struct volatile_conflict {
  location place;
  access_record read, write;
  bool read_is_later = false;
  bool released = false;  // a fence precedes the write
  race_relation relation{};
};

/// A thread's volatile reads that conflict with writes: those that may turn out to be of flags, and the last ones
/// that have.
struct volatile_reads {
  static constexpr std::size_t max_unexplained = 1024;
  std::vector<volatile_conflict> unexplained;
  std::array<volatile_conflict, 8> flags;
  std::size_t next_flag = 0;

  template <class Predicate>
  void accept_if(Predicate is_flag) {
    std::erase_if(unexplained, [&](const volatile_conflict& found) {
      if (!is_flag(found)) return false;
      flags[next_flag++ % flags.size()] = found;
      return true;
    });
  }
};

/// The basic blocks that a thread has visited since its last barrier: the last two, those at the end of the
/// kernel's function, and a set of them and of the thread's steps, which may hold more.
struct visited_blocks {
  const void *last = nullptr, *before_last = nullptr;
  const void *exit = nullptr, *before_exit = nullptr;
  std::array<std::uint64_t, 8> hashes{};

  static std::uint64_t hash_of(const void* address) {
    return reinterpret_cast<std::uintptr_t>(address) * 0x9e3779b97f4a7c15U >> 55;
  }
  void add_block(const void* address) {
    before_last = last, last = address;
    add(address);
  }
  void add(const void* address) {
    const std::uint64_t hash = hash_of(address);
    hashes[hash / 64] |= std::uint64_t{1} << hash % 64;
  }
  void clear() {  // member by member, which is faster
    hashes = {};
    last = before_last = exit = before_exit = nullptr;
  }
  [[nodiscard]] bool may_contain(const void* address) const {
    const std::uint64_t hash = hash_of(address);
    return (hashes[hash / 64] >> hash % 64 & 1) != 0;
  }
};

/// A thread that visits many basic blocks between two steps: its state at one of them.
struct quiet_loop {
  static constexpr std::uint64_t first_look = 1 << 20;
  std::uint64_t next_look = first_look, looked_at = 0;
  const void* place = nullptr;
  std::uint64_t state = 0;
};

/// A thread's last accesses with different callers, places or contents.
struct recent_accesses {
  struct access {
    const void* caller = nullptr;
    std::uintptr_t address = 0;
    std::uint64_t content = 0;
    bool operator==(const access&) const = default;
  };
  static constexpr std::size_t max_size = 4;
  std::array<access, max_size> list;
  std::uint8_t size = 0, next = 0;
  std::uint8_t last = 0;    // index of the last access
  bool may_park = false;    // lock step: the last access was a repetition too many
  unsigned repeated = 0;    // mask of those that have come again since the last new one
  int repeats = 0;          // and how often
  bool is_suspect = false;  // of a livelock: then the thread's registers and stack at each access are kept
  std::array<std::uint64_t, max_size> states{};

  /// What is new about an access: nothing, what the place holds, or the place.
  enum class novelty { none, content, place };
  /// A new access replaces the oldest.
  novelty add(const access& latest) {
    novelty found = novelty::place;
    for (std::uint8_t i = 0; i < max_size; ++i) {  // an unused one has no caller
      if (list[i].address != latest.address || list[i].caller != latest.caller) continue;
      found = novelty::content;
      if (list[i].content != latest.content) continue;
      repeated |= 1U << i;
      ++repeats;
      last = i;
      return novelty::none;
    }
    const std::uint8_t replaced = found == novelty::content ? replaced_by(latest) : next;
    list[replaced] = latest;
    last = replaced;
    if (replaced == next) next = (next + 1) % max_size;
    if (size < max_size && replaced >= size) ++size;
    repeated = 0, repeats = 0, may_park = false;
    return found;
  }
  void clear() {  // member by member, which is faster
    for (access& each : list) each = {};
    size = next = last = 0, may_park = false;
    repeated = 0, repeats = 0;
    if (std::exchange(is_suspect, false)) states = {};
  }

 private:
  /// Which access a known place with other contents replaces: the oldest one, unless that is all that is known of
  /// another place, which would then be taken for a new one.
  [[nodiscard]] std::uint8_t replaced_by(const access& latest) const {
    const auto is_of = [](const access& left, const access& right) {
      return left.address == right.address && left.caller == right.caller;
    };
    const access& oldest = list[next];
    int of_its_place = 0;
    for (const access& each : list) of_its_place += is_of(each, oldest) ? 1 : 0;
    if (oldest.caller == nullptr || of_its_place > 1 || is_of(oldest, latest)) return next;
    for (std::uint8_t i = 1; i < max_size; ++i) {
      const auto at = static_cast<std::uint8_t>((next + i) % max_size);
      if (is_of(list[at], latest)) return at;
    }
    return next;
  }
};

}  // namespace exactdot::simt

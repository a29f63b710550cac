// Which accesses are ordered before which: the happens-before relation of a launch, as CUDA's memory model has it.
//
// Every access has a time: the barrier generation of its block, and a count of its own thread that goes up
// whenever the thread releases what it has done. A thread knows of others: all accesses of its block before the
// last barrier; of the lanes of its warp, what __syncwarp told it; of other blocks, what reached it over a fence,
// an atomic operation and a fence. Vector clocks after Flanagan and Freund, "FastTrack", PLDI 2009, §3, but
// two-level: barriers make one entry do for a whole block. Fences release and acquire as in the PTX ISA, "Memory
// consistency model": release pattern and acquire pattern.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace exactdot::simt {

/// What is known of others: per thread the last time known, per block the first generation not known.
struct knowledge {
  struct entry {
    std::uint64_t who;  // a thread's number, or a block's with the top bit set
    std::uint32_t time;
  };
  static constexpr std::uint64_t block_bit = std::uint64_t{1} << 63;
  std::vector<entry> entries;  // sorted by who

  [[nodiscard]] std::uint32_t time_of(std::uint64_t who) const {
    const auto at = std::lower_bound(entries.begin(), entries.end(), who,
                                     [](const entry& left, std::uint64_t right) { return left.who < right; });
    return at == entries.end() || at->who != who ? 0 : at->time;
  }
};
using shared_knowledge = std::shared_ptr<const knowledge>;

/// The union: of each entry the later time. Shares one operand where it can.
inline shared_knowledge join(const shared_knowledge& left, const shared_knowledge& right) {
  if (!left || left == right) return right;
  if (!right) return left;
  auto sum = std::make_shared<knowledge>();
  sum->entries.reserve(left->entries.size() + right->entries.size());
  auto i = left->entries.begin(), j = right->entries.begin();
  while (i != left->entries.end() || j != right->entries.end()) {
    if (j == right->entries.end() || (i != left->entries.end() && i->who < j->who)) {
      sum->entries.push_back(*i++);
    } else if (i == left->entries.end() || j->who < i->who) {
      sum->entries.push_back(*j++);
    } else {
      sum->entries.push_back({i->who, std::max(i->time, j->time)});
      ++i, ++j;
    }
  }
  return sum;
}

/// One access as it is remembered.
struct record {
  std::uint32_t thread = 0;      // number + 1; 0: none
  std::uint32_t generation = 0;  // of the block's barriers
  std::uint32_t time = 0;        // of the thread; in lock step, of the warp
  std::uint8_t bytes = 0;        // which of the four
  bool atomic = false;           // or volatile: one access cannot tear another
  bool block_scope = false;
  const void* caller = nullptr;
};

/// What is remembered of four bytes: the last write, two reads, and whether it was ever written.
struct cell {
  std::uint32_t launch = 0;
  record write, read[2];
};

}  // namespace exactdot::simt

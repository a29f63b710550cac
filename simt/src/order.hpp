// Happens-before relation of a launch: vector clocks and access records, after CUDA's memory model.
//
// Every access has a time: the barrier generation of its block, and a counter of its thread that rises with each
// release. A barrier orders a thread after its block, __syncwarp after lanes of its warp, and fences around atomics
// after other threads. The last follow the PTX ISA, "Memory consistency model": release and acquire patterns.
// Method: FastTrack (Flanagan and Freund, PLDI 2009, §3), with two-level clocks: one entry covers a block up to a
// barrier.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace exactdot::simt {

/// Per thread the last time covered; per block the first barrier generation not covered.
struct vector_clock {
  struct entry {
    std::uint64_t key;  // a thread's number, or a block's with the top bit set
    std::uint32_t time;
  };
  static constexpr std::uint64_t block_bit = std::uint64_t{1} << 63;
  std::vector<entry> entries;  // sorted by key

  [[nodiscard]] std::uint32_t time_of(std::uint64_t key) const {
    const auto at = std::lower_bound(entries.begin(), entries.end(), key,
                                     [](const entry& left, std::uint64_t right) { return left.key < right; });
    return at == entries.end() || at->key != key ? 0 : at->time;
  }
};
using clock_pointer = std::shared_ptr<const vector_clock>;

/// Returns the union: of each entry the later time. If an operand is null or both are the same, copies nothing.
inline clock_pointer join(const clock_pointer& left, const clock_pointer& right) {
  if (!left || left == right) return right;
  if (!right) return left;
  auto sum = std::make_shared<vector_clock>();
  sum->entries.reserve(left->entries.size() + right->entries.size());
  auto i = left->entries.begin(), j = right->entries.begin();
  while (i != left->entries.end() || j != right->entries.end()) {
    if (j == right->entries.end() || (i != left->entries.end() && i->key < j->key)) {
      sum->entries.push_back(*i++);
    } else if (i == left->entries.end() || j->key < i->key) {
      sum->entries.push_back(*j++);
    } else {
      sum->entries.push_back({i->key, std::max(i->time, j->time)});
      ++i, ++j;
    }
  }
  return sum;
}

/// One recorded access.
struct access_record {
  std::uint32_t thread = 0;      // number + 1; 0: no access
  std::uint32_t generation = 0;  // of the block's barriers
  std::uint32_t time = 0;        // of the thread; in lock step, of the warp
  std::uint8_t bytes = 0;        // mask of the four bytes
  bool atomic = false;           // or volatile: such accesses do not tear each other
  bool block_scope = false;
  const void* caller = nullptr;  // return address in the kernel
};

/// Shadow memory of four bytes: the last write and up to two reads of one launch.
struct shadow_cell {
  std::uint32_t launch = 0;
  access_record write, read[2];
};

}  // namespace exactdot::simt

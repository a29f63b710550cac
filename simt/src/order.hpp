// Happens-before relation of a launch: vector clocks, after CUDA's memory model.
//
// Every access has a time: the barrier generation of its block, and a counter of its thread that rises with each
// release. A barrier orders a thread after its block, __syncwarp after lanes of its warp, and fences around atomics
// after other threads. The last follow the PTX ISA, "Memory consistency model": release and acquire patterns.
// Method: FastTrack (Flanagan and Freund, PLDI 2009, §3), with two-level clocks: one entry covers a block up to a
// barrier. Asynchronous copies have no time; their agents have (copies.hpp).
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
    std::uint64_t key;  // a thread's number; with block_bit a block's; with mbarrier_bit an mbarrier's
    std::uint32_t time;
    bool operator==(const entry& other) const = default;
    bool operator<(const entry& other) const { return key != other.key ? key < other.key : time < other.time; }
  };
  static constexpr std::uint64_t block_bit = std::uint64_t{1} << 63;
  static constexpr std::uint64_t mbarrier_bit = std::uint64_t{1} << 62;
  static constexpr std::uint64_t proxy_bit = std::uint64_t{1} << 61;  // also ordered before the async proxy
  std::vector<entry> entries;                                         // sorted by key

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

/// The union of many clocks, built when all are known: joining them one by one would take quadratic time.
class clock_sum {
 public:
  void add(const clock_pointer& clock) {
    if (!clock || std::find(added_.begin(), added_.end(), clock) != added_.end()) return;
    added_[next_++ % added_.size()] = clock;
    add(*clock);
  }
  void add(const vector_clock& clock) {
    entries_.insert(entries_.end(), clock.entries.begin(), clock.entries.end());
    if (entries_.size() > 2 * merged_ + 4096) merge();
  }
  void add(std::uint64_t key, std::uint32_t time) { entries_.push_back({key, time}); }

  /// Returns the union and starts anew.
  [[nodiscard]] clock_pointer take() {
    merge();
    auto result = std::make_shared<vector_clock>();
    result->entries = std::move(entries_);
    *this = {};
    return result;
  }

 private:
  void merge() {
    std::sort(entries_.begin(), entries_.end());
    const auto same_key = [](const auto& left, const auto& right) { return left.key == right.key; };
    // the latest time of a key is its last entry
    entries_.erase(entries_.begin(), std::unique(entries_.rbegin(), entries_.rend(), same_key).base());
    merged_ = entries_.size();
  }
  std::vector<vector_clock::entry> entries_;
  std::size_t merged_ = 0;
  std::array<clock_pointer, 8> added_;  // the last ones: threads in step have one clock
  std::size_t next_ = 0;
};

/// join() for threads that wait at one place: those that know the same receive the same object, so that clock_sum
/// adds it once.
class clock_joins {
 public:
  clock_pointer operator()(const clock_pointer& left, const clock_pointer& right) {
    result& known = results_[(address_of(left) * 31 + address_of(right)) % results_.size()];
    if (!known.sum || known.left != left || known.right != right) known = {left, right, unique(join(left, right))};
    return known.sum;
  }

 private:
  struct result {
    clock_pointer left, right, sum;  // they keep the addresses from being used again
  };
  static std::uintptr_t address_of(const clock_pointer& clock) {
    return reinterpret_cast<std::uintptr_t>(clock.get()) / 16;
  }
  /// Returns an earlier clock with the same entries if it is still in the table.
  clock_pointer unique(const clock_pointer& clock) {
    if (!clock) return clock;
    std::uint64_t hash = clock->entries.size();
    for (const vector_clock::entry& entry : clock->entries)
      hash = (hash ^ entry.key ^ entry.time) * 0x9e3779b97f4a7c15U;
    clock_pointer& known = known_[(hash >> 32) % known_.size()];
    if (!known ||
        !std::equal(known->entries.begin(), known->entries.end(), clock->entries.begin(), clock->entries.end()))
      known = clock;
    return known;
  }
  std::array<result, 61> results_;
  std::array<clock_pointer, 61> known_;
};

/// Returns the clock with entries for the async proxy too: what it covers precedes asynchronous copies.
inline clock_pointer with_proxy_entries(const clock_pointer& covered) {
  clock_sum sum;
  for (const vector_clock::entry& entry : covered->entries) {
    sum.add(entry.key, entry.time);
    sum.add(entry.key | vector_clock::proxy_bit, entry.time);
  }
  return sum.take();
}

}  // namespace exactdot::simt

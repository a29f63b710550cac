// Runs of equal keys, where keys never decrease: each run is a group that has elements, and a segment of them.
//
// A pass compares each key with the one before it, and ends where one is less. It looks at some keys at a time, and
// then, while they are in the cache, for the runs that begin among them: of long runs only at some keys, in steps
// that double. Memory: 8 bytes a run, 16 where some groups between them have no elements, with several threads
// twice that; nothing for a group without elements. Cost: some tenths of a ns a key, and of short runs about 1 ns a
// key.
#pragma once

#include <exactdot/options.hpp>
#include <exactdot/shapes.hpp>
#include <vector>

namespace exactdot::inline v0_3::engine {

/// The groups of runs, in order, each once: a list only where some between them have no elements.
class run_groups {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return count_; }
  [[nodiscard]] std::uint64_t operator[](std::size_t i) const noexcept {
    return listed_.empty() ? first_ + i : listed_[i];
  }
  /// The lowest number that is none of them.
  [[nodiscard]] std::size_t first_missing() const noexcept;
  [[nodiscard]] std::vector<std::uint64_t> list() &&;

  /// Memory for so many, once there is a list.
  void reserve(std::size_t n) {
    expected_ = n;
    if (!listed_.empty()) listed_.reserve(n);
  }
  /// Adds n that follow in order.
  void add(const std::uint64_t* groups, std::size_t n);
  void add(const run_groups& more);
  /// Keeps those from `begin` to before `end`, each as at most `greatest`.
  void keep(std::size_t begin, std::size_t end, std::uint64_t greatest);

 private:
  void make_list();

  std::vector<std::uint64_t> listed_;  // empty where they are first_, first_ + 1, …
  std::uint64_t first_ = 0;
  std::size_t count_ = 0, expected_ = 0;
};

struct group_runs {
  bool never_decrease = true;            ///< the keys; otherwise nothing else is known
  bool is_cancelled = false;             ///< by the monitor: the rest is unspecified
  std::size_t first_outside = no_index;  ///< the index of the first key out of range
  std::size_t inside = 0;                ///< keys in range
  std::size_t longest = 0;
  run_groups groups;                   ///< of the runs: below any_keys::groups, whatever becomes of the keys
  std::vector<std::uint64_t> offsets;  ///< where the runs begin, and the end of the last; they never decrease

  static constexpr std::size_t no_index = ~std::size_t{0};
};

/// The keys have been checked, but for their values.
[[nodiscard]] group_runs find_runs(const any_keys& keys, int threads, const monitor* monitor);

}  // namespace exactdot::inline v0_3::engine

// Runs of equal keys, where keys never decrease: each run is a group that has elements, and a segment of them.
//
// A pass compares each key with the one before it, and ends where one is less. It looks at some keys at a time, and then,
// while they are in the cache, for the runs that begin among them: of long runs only at some keys, in steps that double.
// Memory: 16 bytes a run, with several threads twice that; nothing for a group without elements. Cost: some tenths of a
// ns a key, and of short runs about 1 ns a key.
#pragma once

#include <exactdot/options.hpp>
#include <exactdot/shapes.hpp>
#include <vector>

namespace exactdot::inline v0_3::engine {

struct group_runs {
  bool never_decrease = true;            ///< the keys; otherwise nothing else is known
  bool is_cancelled = false;             ///< by the monitor: the rest is unspecified
  std::size_t first_outside = no_index;  ///< the index of the first key out of range
  std::size_t inside = 0;                ///< keys in range
  std::size_t longest = 0;
  std::vector<std::uint64_t> groups;   ///< of the runs: below any_keys::groups, whatever becomes of the keys
  std::vector<std::uint64_t> offsets;  ///< where the runs begin, and the end of the last; they never decrease

  static constexpr std::size_t no_index = ~std::size_t{0};
};

/// The keys have been checked, but for their values.
[[nodiscard]] group_runs find_runs(const any_keys& keys, int threads, const monitor* monitor);

}  // namespace exactdot::inline v0_3::engine

// One pass over the keys of groups: how many elements each group has, and the first key out of range.
//
// Threads count by themselves as long as their tables take little memory beside the keys; otherwise fewer threads
// count. Memory: 8 bytes a group. Cost: 1 to 2 ns a key while the table fits the cache.
#pragma once

#include <exactdot/options.hpp>
#include <exactdot/shapes.hpp>
#include <vector>

namespace exactdot::inline v0_3::engine {

struct group_counts {
  std::vector<std::uint64_t> sizes;      ///< of the groups
  std::size_t inside = 0;                ///< keys in range
  std::size_t first_outside = no_index;  ///< the index of the first key out of range
  bool is_cancelled = false;             ///< by the monitor: the rest is unspecified

  static constexpr std::size_t no_index = ~std::size_t{0};
};

/// The sizes of the groups that have elements, where these are few among many: a table of all would take far more
/// time and memory than the keys. Memory: 16 bytes a key. Cost: that of sorting the keys.
struct numbered_keys {
  std::vector<std::uint64_t> groups;     ///< that have elements, in order
  std::vector<std::uint64_t> sizes;      ///< of these
  std::vector<std::uint64_t> numbers;    ///< of each key: the place of its group among these, or no_index
  std::size_t inside = 0;                ///< keys in range
  std::size_t first_outside = no_index;  ///< the index of the first key out of range
  bool is_cancelled = false;             ///< by the monitor: the rest is unspecified

  static constexpr std::size_t no_index = ~std::size_t{0};
};

/// The keys have been checked, but for their values.
[[nodiscard]] numbered_keys number_keys(const any_keys& keys, const monitor* monitor);

/// The keys have been checked, but for their values.
[[nodiscard]] group_counts count_keys(const any_keys& keys, int threads, const monitor* monitor);

/// The bytes of memory that a computation on so many bytes of input may take beside it.
[[nodiscard]] constexpr std::size_t memory_beside(std::size_t input_bytes) {
  constexpr std::size_t small = std::size_t{1} << 20;
  return input_bytes / 16 > small ? input_bytes / 16 : small;
}

}  // namespace exactdot::inline v0_3::engine

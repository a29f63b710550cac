// How long lines are divided among blocks (shape/split_lines.cuh), and the device memory for that, in a workspace.
//
// Long lines, one after the other, make one sequence of units of equal numbers of elements, of which each block
// reads an equal stretch. So a block reads whole lines, but for its first and its last one, and stores at most two
// partial sums: memory depends on the number of blocks only, and no block has more to do than another, whatever the
// lengths are (as in the "stream-K" products of M. Osama et al., PPoPP 2023).
#pragma once

#include <cuda/core/device_state.hpp>

namespace exactdot::inline v0_3::cuda_engine {

inline constexpr unsigned max_split_blocks = 512;
inline constexpr unsigned max_long_lines =
    4096;  ///< segments in the list, half of them at most because they are long
inline constexpr unsigned max_open_sums = 192;   ///< split lines whose rounding a bound leaves open
inline constexpr unsigned max_partials = 36864;  ///< of 128 columns a block, 288 blocks

/// A traced sum (sum/traced_sum.cuh).
struct stored_trace {
  double sum, correction, error;
  unsigned least;
};

/// A segment in the list of long ones.
struct long_line {
  std::uint64_t line;
  std::uint64_t first_unit;
};

/// Zero between calls, but for the lists and the partial sums.
struct line_state {
  /// Of the list: the number of segments in the lowest bits, above it that of their units. One word, so that
  /// entries in the order of their places are in the order of their units.
  wide_unsigned listed;
  wide_unsigned listed_for_balance;  ///< of these, segments that are not long, and some more that found no place
  unsigned open_count;
  unsigned finished;                   ///< blocks of the last kernel
  unsigned arrived[max_split_blocks];  ///< partial sums of the line that begins in this block, or of this panel
  unsigned open_arrived[max_open_sums];
  long_line list[max_long_lines];
  std::uint64_t open_line[max_open_sums];
  stored_trace partial[max_partials];
  grid_superaccumulator open_sum[max_open_sums];  ///< variances have two each
};

static_assert(sizeof(line_state) < std::size_t{7} << 18);

inline constexpr int listed_bits = 20;  ///< of line_state::listed, for the number of segments

/// Which part of a sequence of units a block reads, if its blocks share it equally.
struct unit_shares {
  std::uint64_t units = 0;
  unsigned blocks = 1;  ///< at most as many as units

  [[nodiscard]] EXACTDOT_CORE std::uint64_t begin(unsigned block) const { return units * block / blocks; }
  /// The block that reads a unit.
  [[nodiscard]] EXACTDOT_CORE unsigned block_of(std::uint64_t unit) const {
    return static_cast<unsigned>(((unit + 1) * blocks - 1) / units);
  }
};

/// Parameters of the kernels of segments and of split lines.
struct split_plan {
  bool is_listed = false;                          ///< the long lines are those of the list, else all
  std::uint64_t unit = 1;                          ///< elements
  std::uint64_t long_from = 0;                     ///< segments with more elements are long
  std::uint64_t most_of_warp = ~std::uint64_t{0};  ///< elements that a warp takes at a time, of those it may leave
  unsigned of_warp = 32;                           ///< segments that a warp takes at a time
};

/// Units of a line of n elements.
EXACTDOT_CORE std::uint64_t units_of(const split_plan& plan, std::uint64_t n) {
  return (n + plan.unit - 1) / plan.unit;
}

}  // namespace exactdot::inline v0_3::cuda_engine

// The fixed-point format of rung fixed_point: the steps that any n values can take without overflow.
#pragma once

#include <algorithm>
#include <lab/registry.hpp>

namespace exactdot::lab {

/// Values below 2^e are rounded to multiples of 2^(e - bits): n of them sum to at most 2^62 steps.
[[nodiscard]] constexpr int fixed_point_bits(std::size_t n) {
  return 62 - static_cast<int>(tree_depth(std::max<std::size_t>(n, 1)));
}

}  // namespace exactdot::lab

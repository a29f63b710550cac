// SPDX-License-Identifier: Apache-2.0
// The ddof of a variance.
#pragma once

#include <concepts>
#include <cstdint>
#include <exactdot/element.hpp>
#include <exactdot/requirements.hpp>
#include <limits>
#include <type_traits>

namespace exactdot::inline v0_3 {

/// The ddof of a variance, by which a count of elements is lessened: an integer of any type; above 2^63 - 1 it
/// counts as 2^63 - 1. Floating-point numbers do not compile: a conversion would cut 1.5 to 1.
class ddof_number {
 public:
  template <class N>
  requires std::is_convertible_v<N, std::int64_t>
  constexpr ddof_number(N n) : value_(static_cast<std::int64_t>(n)) {
    static_assert(!std::is_floating_point_v<N> && !floating_element<N>,
                  "exactdot: ddof is an integer, and a fraction would be cut; convert a floating-point number, "
                  "static_cast<int>(ddof), if it is a whole one");
    constexpr std::uint64_t greatest = std::numeric_limits<std::int64_t>::max();
    if constexpr (std::unsigned_integral<N>)
      value_ = static_cast<std::uint64_t>(n) > greatest ? static_cast<std::int64_t>(greatest) : value_;
  }
  constexpr operator std::int64_t() const { return value_; }

 private:
  std::int64_t value_;
};

}  // namespace exactdot::inline v0_3

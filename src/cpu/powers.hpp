// Powers of two from and to exponents, by the bits of doubles.
#pragma once

#include <bit>
#include <cstdint>

namespace exactdot::inline v0_3::cpu_engine {

/// 2^exponent, normal.
constexpr double power_of_two(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

/// The least e with x < 2^e, of a normal number; -1022 or less for smaller ones, large for infinities.
constexpr int exponent_above(double x) { return static_cast<int>(std::bit_cast<std::uint64_t>(x) >> 52) - 1022; }

}  // namespace exactdot::inline v0_3::cpu_engine

// A sum known to within a bound, and the rounding test that makes it exact.
//
// Rounding is monotone: when both ends of the interval that holds the exact sum round to the same number, that
// number is the rounded exact sum. Source: A. Ziv, "Fast evaluation of elementary mathematical functions with
// correctly rounded last bit", 1991, §3.
#pragma once

#include <cmath>
#include <core/error_free.hpp>
#include <core/rounding.hpp>
#include <core/special.hpp>
#include <cstdint>
#include <cstring>
#include <utility>

namespace exactdot::cpu_engine {

inline constexpr double unit_roundoff = 0x1p-53;

/// |value + low - sum| <= bound, all three in units of 2^exponent.
struct approximation {
  double value = 0;
  double low = 0;
  double bound = 0;
  int exponent = 0;
};

/// sum += value + low, which are off by at most `bound`; in the units of `sum`.
inline void add(approximation& sum, double value, double low, double bound) {
  if (sum.value == 0 && sum.bound == 0) {
    sum.value = value, sum.low = low, sum.bound = bound;
    return;
  }
  const auto total = core::two_sum(sum.value, value);
  // Two roundings, each at most a unit roundoff of its operands; counted twice over.
  sum.bound += bound + 4 * unit_roundoff * (std::abs(sum.low) + std::abs(total.error) + std::abs(low));
  sum.value = total.value;
  sum.low += total.error + low;
}

/// sum += other, whatever their units.
inline void add(approximation& sum, approximation other) {
  if (other.exponent > sum.exponent) std::swap(sum, other);
  const int down = other.exponent - sum.exponent;
  if (down < -600) {
    add(sum, 0, 0, (std::abs(other.value) + std::abs(other.low) + other.bound) * 0x1p-600);
  } else {
    // Underflow of a scaled part costs less than 2^-1000 of the unit.
    const auto scaled = [&](double x) { return std::ldexp(x, down); };
    add(sum, scaled(other.value), scaled(other.low), scaled(other.bound) + 0x1p-1000);
  }
}

/// x · 2^exponent rounded once to R, over the whole range. x is nonzero and finite.
template <class R>
R round_scaled(double x, int exponent) {
  const core::exact_term term = core::take_apart(x);
  const auto significand = static_cast<std::uint64_t>(term.magnitude);
  const int up = core::leading_zeros(significand);
  return core::round_significand<R>(term.negative, significand << up, term.exponent + exponent - up, false);
}

/// result = the exact sum rounded once to R. False, and nothing done, when the bound allows two answers, or zero,
/// whose sign and exactness need the exact road.
template <class R>
bool round_if_certain(const approximation& sum, R& result) {
  const auto [head, tail] = std::abs(sum.value) >= std::abs(sum.low) ? core::fast_two_sum(sum.value, sum.low)
                                                                     : core::two_sum(sum.value, sum.low);
  // 2^-52 |tail| covers the rounding of tail ± margin. A normal double comes of one more rounding, of head + the
  // rest; ends that are rounded again afterwards must enclose the sum as doubles.
  constexpr bool narrow = core::traits<R>::precision < core::traits<double>::precision;
  // Well inside R's normal range, where scaling is exact and every double near is normal.
  constexpr int highest = core::traits<R>::highest_exponent - 2, lowest = -highest + 4;
  const double size = std::abs(head);
  const int exponent = static_cast<int>(core::bit_cast<std::uint64_t>(size) >> 52) - 1023 + sum.exponent;
  const bool plain = size > 0x1p-900 && size < 0x1p900 && exponent > lowest && exponent < highest;
  double margin = sum.bound * 1.0625 + 0x1p-52 * std::abs(tail);
  if (narrow || !plain) margin += 0x1p-51 * std::abs(head);
  const double low_end = head + (tail - margin), high_end = head + (tail + margin);
  if (plain) {
    const auto scaled = [&](double x) {
      return static_cast<R>(sum.exponent == 0 ? x : std::ldexp(x, sum.exponent));
    };
    result = scaled(low_end);
    return result == scaled(high_end);
  }
  if (!(std::abs(low_end) > 0x1p-900 && std::abs(low_end) < 0x1p900 && low_end * high_end > 0)) return false;
  result = round_scaled<R>(low_end, sum.exponent);
  const R other = round_scaled<R>(high_end, sum.exponent);
  return std::memcmp(&result, &other, sizeof result) == 0;  // tells -0 from +0
}

}  // namespace exactdot::cpu_engine

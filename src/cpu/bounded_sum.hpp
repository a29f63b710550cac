// A sum known to within a bound, and the rounding test that makes its rounding exact.
//
// Rounding is monotone: if both ends of the interval that holds the exact sum round to the same number, that number
// is the rounded exact sum. Source: A. Ziv, "Fast evaluation of elementary mathematical functions with correctly
// rounded last bit", 1991, §3.
#pragma once

#include <algorithm>
#include <cmath>
#include <core/error_free.hpp>
#include <core/finish.hpp>
#include <cstdint>
#include <utility>

namespace exactdot::cpu_engine {

inline constexpr double unit_roundoff = 0x1p-53;

/// An upper bound on the error of summing numbers whose magnitudes add up to `magnitude`, in accumulators with
/// `steps` additions each, and then over `lanes`: (depth of the additions) · u · magnitude, with 1/16 to spare.
inline double summation_error(std::size_t steps, std::size_t lanes, double magnitude) {
  return static_cast<double>(steps + lanes + 16) * unit_roundoff * magnitude * 1.0625;
}

/// |head + tail - sum| <= bound; all members are in units of 2^exponent.
struct bounded_sum {
  double head = 0;
  double tail = 0;
  double bound = 0;
  int exponent = 0;
  double largest = 0;  ///< no addend is greater in magnitude
};

/// sum += head + tail, which are off by at most `bound`; in the units of `sum`.
inline void add(bounded_sum& sum, double head, double tail, double bound) {
  if (sum.head == 0 && sum.bound == 0) {
    sum.head = head, sum.tail = tail, sum.bound = bound;
    return;
  }
  const auto total = core::two_sum(sum.head, head);
  // Two roundings, each at most a unit roundoff of its operands; counted twice over.
  sum.bound += bound + 4 * unit_roundoff * (std::abs(sum.tail) + std::abs(total.error) + std::abs(tail));
  sum.head = total.value;
  sum.tail += total.error + tail;
}

/// sum += other, whatever their units.
inline void add(bounded_sum& sum, bounded_sum other) {
  if (sum.head == 0 && sum.tail == 0 && sum.bound == 0) {  // zero, in any unit
    sum = other;
    return;
  }
  if (other.exponent > sum.exponent) std::swap(sum, other);
  const int down = other.exponent - sum.exponent;
  sum.largest = std::max(sum.largest, std::ldexp(other.largest, down));
  if (down < -600) {
    add(sum, 0, 0, (std::abs(other.head) + std::abs(other.tail) + other.bound) * 0x1p-600);
  } else {
    // Underflow of a scaled component costs less than 2^-1000 of the unit.
    const auto scaled = [&](double x) { return std::ldexp(x, down); };
    add(sum, scaled(other.head), scaled(other.tail), scaled(other.bound) + 0x1p-1000);
  }
}

/// result = the exact sum rounded once to R. False, and nothing decided, if the bound allows two answers, or zero,
/// whose sign and exactness only an exact state can tell.
template <class R>
bool round_if_certain(const bounded_sum& sum, R& result) {
  const auto [head, tail] = std::abs(sum.head) >= std::abs(sum.tail) ? core::fast_two_sum(sum.head, sum.tail)
                                                                     : core::two_sum(sum.head, sum.tail);
  // 2^-52 |tail| covers the rounding of tail ± margin. A normal double results from one more rounding, of head plus
  // the rest; ends that are rounded again afterwards must enclose the sum as doubles.
  constexpr bool narrow = core::format<R>::precision < core::format<double>::precision;
  // Well inside R's normal range, where scaling is exact and every double nearby is normal.
  constexpr int highest = core::format<R>::highest_exponent - 2, lowest = -highest + 4;
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
  const core::number_format to = core::format<R>::number;
  const std::uint64_t word = core::round_finite(to, low_end, sum.exponent);
  result = core::from_word<R>(word);
  return word == core::round_finite(to, high_end, sum.exponent);
}

/// The same for a format that no C++ type has.
inline bool round_if_certain(const bounded_sum& sum, core::number_format to, std::uint64_t& result) {
  const auto [head, tail] = core::two_sum(sum.head, sum.tail);
  const double margin = sum.bound * 1.0625 + 0x1p-52 * std::abs(tail) + 0x1p-51 * std::abs(head);
  const double low_end = head + (tail - margin), high_end = head + (tail + margin);
  const bool in_range = std::abs(low_end) > 0x1p-900 && std::abs(low_end) < 0x1p900 && low_end * high_end > 0;
  if (!in_range) return false;
  result = core::round_finite(to, low_end, sum.exponent);
  return result == core::round_finite(to, high_end, sum.exponent);
}

}  // namespace exactdot::cpu_engine

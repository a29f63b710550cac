// A sum known to within a bound. exactdot/core/enclosure.hpp tells whether the bound decides its rounding.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <exactdot/core/error_free.hpp>
#include <utility>

namespace exactdot::inline v0_3::cpu_engine {

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
  int exponent = 0;    ///< even
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

/// high + low, exactly. cpu/exact_pair-inl.h
struct exact_pair {
  double high = 0, low = 0;
  bool is_exact = true;  ///< false if two doubles did not hold a sum
};

/// sum += other.
inline void add(exact_pair& sum, const exact_pair& other) {
  const auto high = core::two_sum(sum.high, other.high), low = core::two_sum(sum.low, other.low),
             rest = core::two_sum(low.value, high.error);
  sum = {high.value, rest.value, sum.is_exact && other.is_exact && low.error == 0 && rest.error == 0};
}

}  // namespace exactdot::inline v0_3::cpu_engine

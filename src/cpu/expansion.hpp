// A sum as a few doubles and a bound on what they miss: some 260 bits, for sums that cancel.
//
// Adding a number passes it through TwoSum with one part after the other; what the last one cannot hold is added to
// the bound. Source: S. M. Rump, T. Ogita, S. Oishi, "Accurate floating-point summation I", 2008, §2 (VecSum), and
// T. Ogita, S. M. Rump, S. Oishi, "Accurate sum and dot product", 2005, §4 (K-fold summation).
#pragma once

#include <algorithm>
#include <cpu/bounded_sum.hpp>
#include <iterator>

namespace exactdot::cpu_engine {

/// |sum of the parts - sum| <= bound, in units of 2^exponent.
struct expansion {
  static constexpr int parts = 5;

  double part[parts] = {};
  double bound = 0;
  int exponent = 0;
  int levels = 0;  ///< of a refined sum: the fewest of all slices that were added
};

/// sum += x, in the units of `sum`.
inline void add(expansion& sum, double x) {
  for (double& part : sum.part) {
    const auto total = core::two_sum(part, x);
    part = total.value, x = total.error;
  }
  sum.bound += std::abs(x);
}

inline bool is_zero(const expansion& sum) {
  return sum.bound == 0 && std::all_of(std::begin(sum.part), std::end(sum.part), [](double x) { return x == 0; });
}

/// sum += other, whatever their units.
inline void add(expansion& sum, expansion other) {
  if (is_zero(sum)) {  // in any unit
    sum = other;
    return;
  }
  if (other.exponent > sum.exponent) std::swap(sum, other);
  sum.levels = std::min(sum.levels, other.levels);
  const int down = other.exponent - sum.exponent;
  if (down < -400) {
    double size = other.bound;
    for (const double part : other.part) size += std::abs(part);
    sum.bound += size * 0x1p-399;
    return;
  }
  for (const double part : other.part) add(sum, std::ldexp(part, down));
  // parts that underflow lose less than 2^-1000
  sum.bound += std::ldexp(other.bound, down) * 1.0625 + 0x1p-1000;
}

/// The same sum in two doubles.
inline bounded_sum rounded(expansion sum) {
  double* const part = sum.part;
  for (int pass = 1; pass < expansion::parts; ++pass) {  // VecSum until nothing overlaps
    for (int i = expansion::parts - 2; i >= 0; --i) {
      const auto total = core::two_sum(part[i], part[i + 1]);
      part[i] = total.value, part[i + 1] = total.error;
    }
  }
  double rest = 0;
  for (int i = 2; i < expansion::parts; ++i) rest += std::abs(part[i]);
  return {part[0], part[1], (sum.bound + rest) * 1.0625, sum.exponent};
}

}  // namespace exactdot::cpu_engine

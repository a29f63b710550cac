// Fixed-point levels of addends (extract-inl.h): where they lie, and the sum of what they took, exactly.
//
// A sum is one integer per level, and a bound on what the last level dropped. Adding two of them is exact whatever
// their order. All sums of a call have the exponent that bounds all of its addends, so their levels have the same
// units.
#pragma once

#include <cpu/bounded_sum.hpp>
#include <cpu/powers.hpp>
#include <cstdint>
#include <exactdot/core/carrier.hpp>

namespace exactdot::inline v0_3::cpu_engine {

/// Elements of a block: the integers of a level stay below 2^60.
inline constexpr std::size_t extraction_block = 4096;

/// How many addends, each of up to two numbers, a level's sum takes before it is counted.
inline constexpr int extraction_steps = 16, extraction_steps_log2 = 4;

/// Binary places of a level: 2·16 numbers of up to half a unit move the next level's sum by at most half of its
/// anchor's binade.
inline constexpr int extraction_width = 51 - extraction_steps_log2;

/// k of level j's anchor 1.5·2^k, for addends below 2^exponent.
constexpr int extraction_anchor(int exponent, int level) {
  return exponent + 1 + extraction_steps_log2 - extraction_width * level;
}

/// The unit of a level, and the error of an addend: half a unit of the last level. In exponents of two.
constexpr int extraction_unit(int exponent, int level) { return extraction_anchor(exponent, level) - 52; }
constexpr int extraction_error(int exponent, int levels) { return extraction_unit(exponent, levels - 1) - 1; }

/// How far below 2^exponent the exponent of the smallest product may lie if nothing is to be rounded: the last bit
/// of a product lies up to 104 places (float: product_low_bit) below it.
template <class T>
constexpr int extraction_span(int levels) {
  const int below = core::carrier<T>::product_fits_double ? core::carrier<T>::product_low_bit : 104;
  return -extraction_unit(0, levels - 1) - below;
}

/// A sum of addends below 2^exponent in magnitude.
struct refined_sum {
  static constexpr int max_levels = 5;

  /// Digit d in units of 2^(exponent - 47·d), which are those of level d - 1; from d = 1 on at most half of 2^47.
  std::int64_t digit[max_levels + 1] = {};
  double bound = 0;  ///< on what is missing, in units of 2^exponent
  int exponent = 0;
  int levels = 0;  ///< that were added; 0: nothing was
};

/// sum += level[j] units of each level, below 2^62 in magnitude.
inline void add_levels(refined_sum& sum, const std::int64_t* level, int levels) {
  constexpr std::int64_t half = std::int64_t{1} << (extraction_width - 1);
  std::int64_t carry = 0;
  for (int j = levels; j > 0; --j) {
    const std::int64_t total = sum.digit[j] + level[j - 1] + carry;
    carry = (total + half) >> extraction_width;
    sum.digit[j] = total - carry * 2 * half;
  }
  sum.digit[0] += carry;
}

/// sum += other, which has the same exponent.
inline void add(refined_sum& sum, const refined_sum& other) {
  if (other.levels == 0) return;
  if (sum.levels == 0) {
    sum = other;
    return;
  }
  add_levels(sum, other.digit + 1, refined_sum::max_levels);
  sum.digit[0] += other.digit[0];
  sum.bound += other.bound;
}

/// The same sum in two doubles.
inline bounded_sum rounded(const refined_sum& sum) {
  constexpr double next = power_of_two(-extraction_width);
  int first = 0;
  while (first < refined_sum::max_levels && sum.digit[first] == 0) ++first;
  double below = 0;  // what follows the first nonzero digit and the next one
  for (int j = refined_sum::max_levels; j > first + 1; --j)
    below = (below + static_cast<double>(sum.digit[j])) * next;
  const double second = first < refined_sum::max_levels ? static_cast<double>(sum.digit[first + 1]) : 0;
  const auto top = core::two_sum(static_cast<double>(sum.digit[first]), second * next);
  below *= next;
  const double tail = top.error + below;
  const double dropped = sum.bound * power_of_two(extraction_width * first);
  const double bound = dropped * 1.0625 + 0x1p-52 * (std::abs(tail) + std::abs(below));
  const int unit = sum.exponent - extraction_width * first;
  const int scaled_by = std::abs(unit) < 700 ? unit : unit & 1;  // everything stays normal
  const double scale = power_of_two(scaled_by);
  return {top.value * scale, tail * scale, bound * scale, unit - scaled_by};
}

}  // namespace exactdot::inline v0_3::cpu_engine

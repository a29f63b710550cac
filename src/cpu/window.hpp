// Windows of the exact vector kernels: an interval of exponents below 2^exponent, and the anchored levels that hold
// every addend whose exponent lies in it.
//
// Level i has an anchor 1.5·2^k(i). Adding an addend to it keeps the addend's bits above the anchor's unit
// 2^(k(i) - 52); the residual, exact, goes to the next level. The last level takes its addends whole: every addend
// in the window is a multiple of its unit. Source: Rump, Ogita, Oishi, "Accurate floating-point summation I", §3
// (ExtractVector); the window check is new.
#pragma once

#include <core/state.hpp>

namespace exactdot::cpu_engine {

/// Elements per block, and log2 of the maximum number of additions to one lane of one anchor in it (two lanes per
/// vector, two sets of anchors).
inline constexpr std::size_t window_block = 1024;
inline constexpr int additions_exponent = 8;

inline constexpr int max_levels = 3;

/// k(level) for terms below 2^exponent: their sum moves an anchor by at most a quarter of its binade.
constexpr int anchor_exponent(int exponent, int level) {
  return exponent + additions_exponent + 2 - level * (51 - additions_exponent);
}

/// The lowest bit that `levels` levels hold exactly.
constexpr int unit_exponent(int exponent, int levels) { return anchor_exponent(exponent, levels - 1) - 52; }

/// How far below 2^exponent the exponent of the smallest product may lie. The values and the errors of products of
/// doubles are two streams, 53 exponents apart, with separate levels.
template <class T>
constexpr int window_span(int levels) {
  return -unit_exponent(0, levels) - core::carrier<T>::product_low_bit;
}

/// The checked kernel accepts rounded products with exponents in [exponent - checked_span, exponent): the low five
/// bits of a shifted exponent field, so that an addition and an or per vector check a whole block.
inline constexpr int checked_span = 32;
static_assert(checked_span + 1 <= window_span<float>(2) && checked_span <= window_span<double>(2));

/// Level sums of one window, as integers in units of 2^(anchor - 52), not yet added to the limbs.
struct window_sums {
  int exponent = 0;
  int shift = 0;   // the operands were scaled: true value = sums · 2^shift
  int levels = 0;  // 0: nothing to flush
  int blocks = 0;
  std::int64_t sum[2 * max_levels] = {};

  /// A block adds less than 2^55 to a sum.
  static constexpr int max_blocks = 128;
};

/// words += sums; clears sums. T: the carrier.
template <class T>
inline void flush(window_sums& sums, std::int64_t* words) {
  constexpr int streams = core::carrier<T>::product_fits_double ? 1 : 2;
  for (int i = 0; i < streams * sums.levels; ++i) {
    const int level = i % sums.levels;
    int unit = anchor_exponent(sums.exponent, level) - 52 - 53 * (i / sums.levels) + sums.shift;
    std::int64_t value = sums.sum[i];
    // Below the lowest bit of any product the sum has only zeros.
    for (; unit < core::lowest_product_exponent<T> && value != 0; ++unit) value >>= 1;
    if (value != 0) core::add(core::layout_of<T>().number(words), value, unit);
    sums.sum[i] = 0;
  }
  sums.levels = 0;
  sums.blocks = 0;
}

}  // namespace exactdot::cpu_engine

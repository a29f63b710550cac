// Windows of the exact vector kernels: an interval of exponents below 2^exponent, and the anchored levels that hold
// every addend whose exponent lies in it.
//
// Level i has an anchor 1.5·2^k(i). Adding an addend to it keeps the addend's bits above the anchor's unit
// 2^(k(i) - 52); the residual, exact, goes to the next level. The last level takes its addends whole: every addend
// in the window is a multiple of its unit. Source: Rump, Ogita, Oishi, "Accurate floating-point summation I", §3
// (ExtractVector); the window check is new.
#pragma once

#include <exactdot/core/state.hpp>

namespace exactdot::inline v0_3::cpu_engine {

/// Elements per block, and log2 of the maximum number of additions to one lane of one anchor in it (two lanes per
/// vector, two sets of anchors).
inline constexpr std::size_t window_block = 1024;
inline constexpr int additions_exponent = 8;

inline constexpr int window_levels = 2;

/// k(level) for terms below 2^exponent: their sum moves an anchor by at most a quarter of its binade.
constexpr int anchor_exponent(int exponent, int level) {
  return exponent + additions_exponent + 2 - level * (51 - additions_exponent);
}

/// How far below 2^exponent the exponent of the smallest product may lie. The values and the errors of products of
/// doubles are two streams, 53 exponents apart, with separate levels.
template <class T>
inline constexpr int window_span = 52 - anchor_exponent(0, window_levels - 1) - core::carrier<T>::product_low_bit;

/// The checked kernel accepts rounded products with exponents in [exponent - checked_span, exponent): the low five
/// bits of a shifted exponent field, so that an addition and an or per vector check a whole block.
inline constexpr int checked_span = 32;
static_assert(checked_span + 1 <= window_span<float> && checked_span <= window_span<double>);

/// words += value·2^exponent, which is a multiple of the lowest bit of any product. T: the carrier.
template <class T>
inline void add_level(std::int64_t value, int exponent, std::int64_t* words) {
  for (; exponent < core::lowest_product_exponent<T> && value != 0; ++exponent) value >>= 1;
  if (value != 0) core::add(core::layout_of<T>().number(words), value, exponent);
}

/// Level sums of one window, as integers in units of 2^(anchor - 52), not yet added to the limbs.
struct window_sums {
  int exponent = 0;
  int shift = 0;   // the operands were scaled: true value = sums · 2^shift
  int blocks = 0;  // 0: nothing to flush
  std::int64_t sum[2 * window_levels] = {};

  /// A block adds less than 2^55 to a sum.
  static constexpr int max_blocks = 128;
};

/// words += sums; clears sums. T: the carrier.
template <class T>
inline void flush(window_sums& sums, std::int64_t* words) {
  constexpr int streams = core::carrier<T>::product_fits_double ? 1 : 2;
  if (sums.blocks == 0) return;
  for (int i = 0; i < streams * window_levels; ++i) {
    const int unit = anchor_exponent(sums.exponent, i % window_levels) - 52 - 53 * (i / window_levels);
    add_level<T>(sums.sum[i], unit + sums.shift, words);
    sums.sum[i] = 0;
  }
  sums.blocks = 0;
}

}  // namespace exactdot::inline v0_3::cpu_engine

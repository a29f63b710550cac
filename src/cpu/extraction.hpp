// Fixed-point levels of a block of addends (extract-inl.h): where they lie, and their sum as an expansion.
#pragma once

#include <core/carrier.hpp>
#include <cpu/expansion.hpp>

namespace exactdot::cpu_engine {

/// Elements of a block: the integers of a level stay below 2^61.
inline constexpr std::size_t extraction_block = 1024;

/// Binary places of a level. A product of doubles leaves two numbers of up to half a unit: with both, the next
/// level's anchor stays in its binade.
inline constexpr int extraction_width = 51;

/// k of level j's anchor 1.5·2^k, for addends below 2^exponent.
constexpr int extraction_anchor(int exponent, int level) { return exponent + 1 - extraction_width * level; }

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

/// sum += the levels' sums, in units of extraction_unit(exponent, j); overwrites them.
inline void add_levels(expansion& sum, std::int64_t* level, int levels, int exponent) {
  constexpr std::int64_t half = std::int64_t{1} << (extraction_width - 1);
  for (int j = levels - 1; j > 0; --j) {
    const std::int64_t carry = (level[j] + half) >> extraction_width;
    level[j] -= carry * 2 * half;
    level[j - 1] += carry;
  }
  const auto add_integer = [&](std::int64_t value, int j) {
    const double rounded = static_cast<double>(value);
    const double unit =
        core::bit_cast<double>(static_cast<std::uint64_t>(extraction_unit(exponent, j) + 1023) << 52);
    add(sum, rounded * unit);
    if (j == 0) add(sum, static_cast<double>(value - static_cast<std::int64_t>(rounded)) * unit);
  };
  for (int j = 0; j < levels; ++j) add_integer(level[j], j);
}

}  // namespace exactdot::cpu_engine

// Ranks of elements in a search for an extreme one: unsigned integers as wide as the element, of which the greatest
// is the extreme element's. Every NaN ranks above the infinity that ends the order, so one unsigned maximum finds
// it.
//
// An element becomes its rank by two exclusive ors and an addition, modulo 2^width. What they use depends on the
// type and on the direction and is a field of rank_rule, so one kernel per width serves all types and both
// directions.
//
//   floating point   Bits, without the sign inverted if negative: signed integers in the order of the numbers.
//                    The offset gives the last infinity (or number) rank 0, and puts NaNs of both signs above the
//                    first.
//   integers         Bits, the sign bit inverted if the type has one.
//   least element    All bits inverted as well.
#pragma once

#include <exactdot/core/rounding.hpp>

namespace exactdot::inline v0_3::cuda_engine {

/// The first four repeat the element's width, so that they apply to packed words.
struct rank_rule {
  std::uint64_t if_negative = 0;  ///< inverted in elements whose sign bit is set
  std::uint64_t flip = 0;         ///< inverted in all
  std::uint64_t offset = 0;       ///< added
  std::uint64_t last = 0;         ///< an element of rank 0
  std::uint64_t ones = 0;         ///< the bits of an element
  std::uint64_t first_nan = 0;    ///< ranks from here on are NaNs, all equal; of integers, the highest rank
  std::uint64_t of_nan = 0;       ///< the element of those ranks
};

/// The element of a rank below first_nan.
EXACTDOT_CORE std::uint64_t element_below_nan(const rank_rule& rule, std::uint64_t rank) {
  const std::uint64_t bits = ((rank - rule.offset) ^ rule.flip) & rule.ones;
  const bool negative = (bits & ~(rule.ones >> 1)) != 0;
  return bits ^ (negative ? rule.if_negative & rule.ones : 0);
}
EXACTDOT_CORE std::uint64_t element_of_rank(const rank_rule& rule, std::uint64_t rank) {
  return rank >= rule.first_nan ? rule.of_nan : element_below_nan(rule, rank);
}

/// The rank of an element of any width, at most first_nan.
EXACTDOT_CORE std::uint64_t rank_of(const rank_rule& rule, std::uint64_t bits) {
  const bool negative = (bits & ~(rule.ones >> 1)) != 0;
  const std::uint64_t rank = ((bits ^ (negative ? rule.if_negative : 0) ^ rule.flip) + rule.offset) & rule.ones;
  return rank < rule.first_nan ? rank : rule.first_nan;
}

constexpr rank_rule rank_rule_of(element_type type, bool greatest) {
  rank_rule rule;
  rule.ones = ~std::uint64_t{0} >> (64 - 8 * size_of(type));
  rule.flip = greatest ? 0 : rule.ones;
  if (is_integer(type)) {
    if (is_signed(type)) rule.flip ^= rule.ones ^ rule.ones >> 1;
    rule.first_nan = rule.ones;
    rule.of_nan = element_below_nan(rule, rule.first_nan);
  } else {
    const core::number_format format = core::format_of(type);
    const std::uint64_t greatest_number = core::greatest_word(format);
    rule.if_negative = rule.ones >> 1;
    rule.offset = greatest_number + 1;
    rule.first_nan = 2 * greatest_number + 2;
    rule.of_nan = core::nan_word(format);
  }
  rule.last = element_below_nan(rule, 0);
  const std::uint64_t repeated = ~std::uint64_t{0} / rule.ones;
  rule.if_negative *= repeated, rule.flip *= repeated, rule.offset *= repeated, rule.last *= repeated;
  return rule;
}

}  // namespace exactdot::inline v0_3::cuda_engine

// Results that are added to: the value that is there is one more exact term of the sum, which is rounded once.
//
// A result's type may have bits and magnitudes that no state of the elements holds: float64 beside products of
// floats. The sum is then moved to the state of products of doubles, which holds every number of every type.
// Integers only.
#pragma once

#include <exactdot/core/finish.hpp>

namespace exactdot::inline v0_3::core {

/// The number of a result's type that has these bits.
EXACTDOT_CORE exact_term term_of_word(const result_rule& rule, std::uint64_t word) {
  exact_term term;
  if (rule.is_integer()) {
    const bool has_sign = rule.precision() % 2 == 1;
    term.negative = has_sign && (word >> rule.precision() & 1) != 0;
    term.magnitude = term.negative ? std::uint64_t{0} - word : word;
    return term;
  }
  const number_format of = rule.format();
  const int stored = of.precision - 1;
  const std::uint64_t mask = (std::uint64_t{1} << stored) - 1, mantissa = word & mask;
  const int last = (1 << of.exponent_bits) - 1, field = static_cast<int>(word >> stored) & last;
  term.negative = (word >> (stored + of.exponent_bits) & 1) != 0;
  const bool has_infinity = detail::has_infinity(of.exponent_bits);
  if (field == last && (has_infinity || mantissa == mask)) {
    term.kind = has_infinity && mantissa == 0 ? kind::infinite : kind::nan;
    return term;
  }
  term.magnitude = field == 0 ? mantissa : mantissa | (std::uint64_t{1} << stored);
  term.exponent = (field == 0 ? 0 : field - 1) + of.lowest_exponent();
  return term;
}

/// Whether a state holds every number of a result's type beside its sum.
EXACTDOT_CORE bool holds_results(const state_layout& layout, const result_rule& rule) {
  if (rule.is_integer()) return layout.lowest_exponent <= 0 && 32 * layout.limbs + layout.lowest_exponent > 160;
  const number_format of = rule.format();
  return of.lowest_exponent() >= layout.lowest_exponent && of.highest_exponent() <= layout.highest_exponent;
}

/// The rounded sum of a normalised state, whose words are overwritten, and of one more term, which it holds.
EXACTDOT_CORE outcome finish_with_held_addend(const result_rule& rule, const state_layout& layout,
                                              std::int64_t* words, const exact_term& addend) {
  add_term<64>(layout, words, addend);
  normalise(layout, words);
  return finish_state(rule, layout, words);
}

/// The same of any term of the result's type.
EXACTDOT_CORE outcome finish_with_addend(const result_rule& rule, const state_layout& layout, std::int64_t* words,
                                         const exact_term& addend) {
  if (holds_results(layout, rule)) return finish_with_held_addend(rule, layout, words, addend);
  constexpr state_layout wide = layout_of<double>();
  std::int64_t wider[wide.words()] = {};
  add_state(wide, wider, layout, words);
  add_term<64>(wide, wider, addend);
  normalise(wide, wider);
  return finish_state(rule, wide, wider);
}

}  // namespace exactdot::inline v0_3::core

// Exact states: 64-bit words that hold a sum of terms exactly.
//
// Words: the limbs of a fixed-point number, then the numbers of NaN, +∞ and −∞ terms, then the number of states
// merged. Elementwise addition of the words of two states is their merge. The three counts stop at 2^31, so that
// the sum of 2^31 − 1 states cannot wrap. A layout describes the words of one carrier; functions take it as a
// value.
#pragma once

#include <exactdot/core/rounding.hpp>
#include <exactdot/core/term.hpp>

namespace exactdot::inline v0_3::core {

struct state_layout {
  int limbs;
  int lowest_exponent;   ///< of the last bit of a product
  int highest_exponent;  ///< every finite product < 2^this in magnitude

  static constexpr std::int64_t max_count = std::int64_t{1} << 31;
  static constexpr std::int64_t max_states = (std::int64_t{1} << 31) - 1;

  [[nodiscard]] EXACTDOT_CORE int nans() const { return limbs; }
  [[nodiscard]] EXACTDOT_CORE int positive_infinities() const { return limbs + 1; }
  [[nodiscard]] EXACTDOT_CORE int negative_infinities() const { return limbs + 2; }
  [[nodiscard]] EXACTDOT_CORE int states() const { return limbs + 3; }
  [[nodiscard]] EXACTDOT_CORE int words() const { return limbs + 4; }
  /// A normalised state holds less than 2^63 largest products if its last limb is in [-top_limit, top_limit).
  [[nodiscard]] EXACTDOT_CORE std::int64_t top_limit() const {
    return std::int64_t{1} << (highest_exponent + headroom_bits - lowest_exponent - 32 * (limbs - 1));
  }
  [[nodiscard]] EXACTDOT_CORE fixed_point number(std::int64_t* words) const {
    return {words, limbs, lowest_exponent};
  }
};

template <class T>
EXACTDOT_CORE state_layout layout_of() {
  return {limb_count<T>, lowest_product_exponent<T>, highest_product_exponent<T>};
}

/// The layout of an accumulator of this element type.
constexpr state_layout layout_of(element_type type) {
  const detail::state_shape shape = detail::state_shape_of(type);
  return {shape.limbs(), shape.lowest_exponent, shape.highest_exponent};
}

/// Words of the widest state.
inline constexpr int max_state_words = layout_of<double>().words();

/// words += term, of a magnitude below 2^bits. Propagates no carry; see additions_between_normalisations.
template <int bits>
EXACTDOT_CORE void add_term(const state_layout& layout, std::int64_t* words, const exact_term& term) {
  if (term.kind == kind::finite) {
    add<bits>(layout.number(words), term.magnitude, term.exponent, term.negative);
    return;
  }
  const int index = term.kind == kind::nan ? layout.nans()
                    : term.negative        ? layout.negative_infinities()
                                           : layout.positive_infinities();
  words[index] += words[index] < state_layout::max_count;
}
/// The same for a product of two carriers.
template <class Carrier>
EXACTDOT_CORE void add_term(std::int64_t* words, const exact_term& term) {
  add_term<2 * format<Carrier>::precision>(layout_of<Carrier>(), words, term);
}

/// words += a state of another layout, of normalised words, which may be negated in place. Requires that its lowest
/// nonzero bit weighs at least 2^layout.lowest_exponent, and that the sum is within the headroom of `layout`.
EXACTDOT_CORE void add_state(const state_layout& layout, std::int64_t* words, const state_layout& other_layout,
                             std::int64_t* other) {
  const fixed_point number = other_layout.number(other);
  const bool negative = is_negative(number);
  if (negative) negate(number);
  for (int i = 0; i < other_layout.limbs; ++i) {
    std::uint64_t limb = static_cast<std::uint64_t>(other[i]);
    int exponent = other_layout.lowest_exponent + 32 * i;
    if (limb == 0) continue;
    for (; exponent < layout.lowest_exponent; ++exponent) limb >>= 1;  // even: see above
    if (limb != 0) add<64>(layout.number(words), limb, exponent, negative);
  }
  for (int i = 0; i < 3; ++i) {
    std::int64_t& count = words[layout.limbs + i];
    count += other[other_layout.limbs + i];
    if (count > state_layout::max_count) count = state_layout::max_count;
  }
}

EXACTDOT_CORE void normalise(const state_layout& layout, std::int64_t* words) { normalise(layout.number(words)); }

/// words += other, both normalised or with additions to spare.
EXACTDOT_CORE void merge(const state_layout& layout, std::int64_t* words, const std::int64_t* other) {
  for (int i = 0; i < layout.limbs; ++i) words[i] += other[i];
  for (int i = layout.nans(); i < layout.states(); ++i) {
    words[i] += other[i];
    if (words[i] > state_layout::max_count) words[i] = state_layout::max_count;
  }
}

/// Whether a normalised state is within its headroom.
EXACTDOT_CORE bool fits(const state_layout& layout, const std::int64_t* words) {
  const std::int64_t top = words[layout.limbs - 1];
  return top >= -layout.top_limit() && top < layout.top_limit();
}

}  // namespace exactdot::inline v0_3::core

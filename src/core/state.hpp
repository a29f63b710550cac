// Exact states: 64-bit words that hold a sum of terms exactly.
//
// Words: the limbs of a fixed-point number, then the numbers of NaN, +∞ and −∞ terms, then the number of states
// merged. Elementwise addition of the words of two states is their merge. The three counts stop at 2^31, so that
// the sum of 2^31 − 1 states cannot wrap. A layout describes the words of one carrier; functions take it as a
// value.
#pragma once

#include <core/rounding.hpp>
#include <core/term.hpp>

namespace exactdot::core {

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

template <class Carrier>
EXACTDOT_CORE state_layout layout_of() {
  return {limb_count<Carrier>, lowest_product_exponent<Carrier>, highest_product_exponent<Carrier>};
}

constexpr state_layout layout_of(element_type type) {
  return with_element(type, []<class T>(T) { return layout_of<carrier_of<T>>(); });
}

/// Words of the widest state.
inline constexpr int max_state_words = layout_of<double>().words();

/// words += term. Propagates no carry; see additions_between_normalisations.
template <class Carrier>
EXACTDOT_CORE void add_term(std::int64_t* words, const exact_term& term) {
  constexpr state_layout layout = layout_of<Carrier>();
  if (term.kind == kind::finite) {
    add<2 * format<Carrier>::precision>(layout.number(words), term.magnitude, term.exponent, term.negative);
    return;
  }
  const int index = term.kind == kind::nan ? layout.nans()
                    : term.negative        ? layout.negative_infinities()
                                           : layout.positive_infinities();
  words[index] += words[index] < state_layout::max_count;
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

}  // namespace exactdot::core

// The words of an exact state: limbs, then the special values seen, then the number of states merged.
//
// Elementwise addition of the words of two states is their merge. The special counts stop at 2^31 each, so that the
// sum of 2^31 - 1 states cannot wrap.
#pragma once

#include <core/rounding.hpp>
#include <core/special.hpp>

namespace exactdot::core {

template <class T>
struct layout {
  static constexpr int limbs = traits<T>::limb_count;
  static constexpr int nans = limbs;
  static constexpr int positive_infinities = limbs + 1;
  static constexpr int negative_infinities = limbs + 2;
  static constexpr int states = limbs + 3;
  static constexpr int words = limbs + 4;
  static constexpr std::int64_t largest_count = std::int64_t{1} << 31;
  static constexpr std::int64_t largest_states = (std::int64_t{1} << 31) - 1;
  /// A normalised state holds less than 2^63 largest products if its last limb is in [-top_limit, top_limit).
  static constexpr std::int64_t top_limit = std::int64_t{1} << (highest_product_exponent<T> + headroom_bits -
                                                                lowest_product_exponent<T> - 32 * (limbs - 1));
};

template <class T>
EXACTDOT_CORE fixed_point limbs_of(std::int64_t* words) {
  return {words, layout<T>::limbs, lowest_product_exponent<T>};
}

/// words += term. Carries nothing; see additions_between_normalisations.
template <class T>
EXACTDOT_CORE void add_term(std::int64_t* words, const exact_term& term) {
  if (term.what == kind::finite) {
    add<2 * traits<T>::precision>(limbs_of<T>(words), term.magnitude, term.exponent, term.negative);
    return;
  }
  const int which = term.what == kind::nan ? layout<T>::nans
                    : term.negative        ? layout<T>::negative_infinities
                                           : layout<T>::positive_infinities;
  words[which] += words[which] < layout<T>::largest_count;
}

/// words += other, both normalised or with additions to spare.
template <class T>
EXACTDOT_CORE void merge(std::int64_t* words, const std::int64_t* other) {
  for (int i = 0; i < layout<T>::limbs; ++i) words[i] += other[i];
  for (int i = layout<T>::nans; i < layout<T>::states; ++i) {
    words[i] += other[i];
    if (words[i] > layout<T>::largest_count) words[i] = layout<T>::largest_count;
  }
}

/// Whether a normalised state is within its headroom.
template <class T>
EXACTDOT_CORE bool fits(const std::int64_t* words) {
  const std::int64_t top = words[layout<T>::limbs - 1];
  return top >= -layout<T>::top_limit && top < layout<T>::top_limit;
}

/// The value of a normalised state rounded once to R, special values first. May negate the limbs in place.
template <class R, class T>
EXACTDOT_CORE R round_state(std::int64_t* words) {
  const bool plus = words[layout<T>::positive_infinities] != 0;
  const bool minus = words[layout<T>::negative_infinities] != 0;
  if (words[layout<T>::nans] != 0 || (plus && minus)) return canonical_nan<R>();
  if (plus || minus) return infinity<R>(minus);
  return round_limbs<R>(limbs_of<T>(words));
}

}  // namespace exactdot::core

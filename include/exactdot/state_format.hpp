// SPDX-License-Identifier: Apache-2.0
// The words of mergeable states: what a state of a reduction holds, how many int64 words that takes, and the
// compact form, which leaves out the words that no term of the element type reaches.
//
// A state is, in this order: of means and variances the number of elements; the words of the sum; of variances
// those of the sum of squares. The words of a sum are limbs of radix 2^32, low limb first, then the numbers of NaN,
// +∞ and −∞ terms and of states merged. Full form: the words of accumulator<T>, and of moments<T> for a variance.
// Compact form: its limbs are a range of the full form's, and of integers, which have no special values, only the
// number of states follows. Both hold 2^63 largest terms, in 2^31 − 1 states merged by addition. docs/shapes.md has
// the sizes.
#pragma once

#include <exactdot/requirements.hpp>

#include <cstddef>
#include <exactdot/element.hpp>
#include <exactdot/reduction.hpp>

namespace exactdot::inline v0_3 {

enum class state_form : unsigned char {
  full,     ///< the words of an accumulator, whatever the terms
  compact,  ///< the fewest limbs of these that hold every sum of such terms
};

namespace detail {
/// The limbs of the full form that a form has.
struct limb_range {
  int first, count;
};

/// Every bit of a term, an element or a product of two, weighs at least 2^this: the last one of a subnormal number.
constexpr int lowest_exponent_of(element_type type, bool are_products) {
  if (is_integer(type)) return 0;
  const element_info& info = info_of(type);
  return (are_products ? 2 : 1) * (3 - (1 << (info.exponent_bits - 1)) - info.precision);
}
/// The magnitude of a term is below 2^this.
constexpr int highest_exponent_of(element_type type, bool are_products) {
  const element_info& info = info_of(type);
  const int factors = are_products ? 2 : 1;
  if (is_integer(type)) return factors * static_cast<int>(8 * info.bytes);
  return factors * ((1 << (info.exponent_bits - 1)) + (has_infinity(info.exponent_bits) ? 0 : 1));
}

/// Bits lowest … highest + 62 and the sign, in limbs of the full form: floor division, for both are above its
/// lowest.
constexpr limb_range limbs_of(element_type type, bool are_products, state_form form) {
  const state_shape full = state_shape_of(type);
  if (form == state_form::full) return {0, full.limbs()};
  const int first = (lowest_exponent_of(type, are_products) - full.lowest_exponent) / 32;
  const int last = (highest_exponent_of(type, are_products) + 63 - full.lowest_exponent) / 32;
  return {first, last - first + 1};
}

/// Whether a state begins with the number of elements.
constexpr bool counts_elements(reduction what) {
  return is_known(what) && core::info_of(what).counts_elements();
}
/// The sums of a state; 0 for a reduction that is no sum.
constexpr int sums_of(reduction what) {
  return is_known(what) ? core::info_of(what).sums : 0;
}
/// Whether the terms of a sum are products.
constexpr bool sums_products(reduction what, int sum) {
  return core::term_at(core::info_of(what).term_of(sum)).factors == 2;
}
/// The words of one sum after its limbs.
constexpr int count_words(element_type type, state_form form) {
  return is_integer(type) && form == state_form::compact ? 1 : 4;
}
}  // namespace detail

/// What the words of a state mean. dot, sum, asum, sum_of_squares and nrm2 have one sum (nrm2 that of squares),
/// mean a count and a sum, variance and stddev a count and two sums. Extrema have no states.
struct state_format {
  reduction what = reduction::sum;
  element_type type = element_type::float64;  ///< of the elements, in a dot product of both vectors
  state_form form = state_form::full;

  /// The int64 words of a state; 0 for an unknown type or form, or a reduction that has no states.
  [[nodiscard]] constexpr std::size_t words() const {
    if (!is_known(type) || (form != state_form::full && form != state_form::compact)) return 0;
    std::size_t words = detail::counts_elements(what) ? 1 : 0;
    for (int i = 0; i < detail::sums_of(what); ++i) {
      const int limbs = detail::limbs_of(type, detail::sums_products(what, i), form).count;
      words += static_cast<std::size_t>(limbs + detail::count_words(type, form));
    }
    return detail::sums_of(what) == 0 ? 0 : words;
  }
};

/// The int64 words of a state of a reduction of elements of type T.
template <element T>
[[nodiscard]] constexpr std::size_t state_words(reduction what, state_form form = state_form::full) {
  return state_format{what, type_of<T>, form}.words();
}

}  // namespace exactdot::inline v0_3

// The quotient of two exact states, rounded once.
//
// Long division of the limbs: four digits of radix 2^32, of which the first is 0 or 1, are at least 95 leading bits
// of the quotient; a root takes six (src/run/exact_number.hpp). A remainder that is not zero is a sticky bit, so
// one rounding is the correct one (wide.hpp). Integers only. Cost: four passes over the limbs of the divisor.
// Source: D. Knuth, "The Art of Computer Programming" 2, 4.3.1, algorithm D.
#pragma once

#include <exactdot/core/finish.hpp>

namespace exactdot::inline v0_3::core {

/// A positive number Σ digit[i]·2^(32 i + exponent). The top bit of the leading digit, digit[count − 1], is set.
template <int max>
struct basic_digits {
  static constexpr int max_count = max;
  std::uint32_t digit[max_count] = {};
  int count = 0;
  int exponent = 0;
};
using digits = basic_digits<max_state_words>;  // the limbs of a state and one more are fewer

/// The digits of a normalised number above zero, of fewer than `max` used limbs.
template <int max = max_state_words>
EXACTDOT_CORE basic_digits<max> digits_of(fixed_point number) {
  basic_digits<max> found;
  int top = number.count - 1, lowest = 0;
  while (number.limb[top] == 0) --top;
  while (number.limb[lowest] == 0) ++lowest;
  const int bits =
      64 - leading_zeros(static_cast<std::uint64_t>(number.limb[top]));  // 63 at most, of the last limb
  const int shift = (64 - bits) % 32;
  std::uint64_t carry = 0;
  for (int i = lowest; i <= top; ++i) {
    const uint128 value = static_cast<uint128>(static_cast<std::uint64_t>(number.limb[i])) << shift | carry;
    found.digit[found.count++] = static_cast<std::uint32_t>(value);
    carry = static_cast<std::uint64_t>(value >> 32);
  }
  for (; carry != 0; carry >>= 32) found.digit[found.count++] = static_cast<std::uint32_t>(carry);
  found.exponent = number.lowest_exponent + 32 * lowest - shift;
  return found;
}

/// The next digit of a quotient: rest, of one digit more than the divisor, becomes the remainder. rest[top] is at
/// most the divisor's leading digit.
template <int max>
EXACTDOT_CORE std::uint32_t quotient_digit(std::uint32_t* rest, const basic_digits<max>& divisor) {
  const int n = divisor.count;
  const std::uint64_t leading = divisor.digit[n - 1], second = n > 1 ? divisor.digit[n - 2] : 0;
  const std::uint64_t upper = static_cast<std::uint64_t>(rest[n]) << 32 | rest[n - 1];
  std::uint64_t quotient = upper / leading, remainder = upper % leading;
  // too large by 2 at most; by 1, rarely, after this
  while (remainder >> 32 == 0 &&
         (quotient >> 32 != 0 || quotient * second > (remainder << 32 | (n > 1 ? rest[n - 2] : 0)))) {
    --quotient, remainder += leading;
  }
  std::uint64_t carry = 0, borrow = 0;
  for (int i = 0; i <= n; ++i) {
    carry += i < n ? quotient * divisor.digit[i] : 0;
    const std::uint64_t difference = std::uint64_t{rest[i]} - (carry & 0xffffffff) - borrow;
    rest[i] = static_cast<std::uint32_t>(difference);
    borrow = difference >> 63, carry >>= 32;
  }
  if (borrow == 0) return static_cast<std::uint32_t>(quotient);
  std::uint64_t sum = 0;
  for (int i = 0; i <= n; ++i) {
    sum += std::uint64_t{rest[i]} + (i < n ? divisor.digit[i] : 0);
    rest[i] = static_cast<std::uint32_t>(sum), sum >>= 32;
  }
  return static_cast<std::uint32_t>(quotient - 1);
}

/// dividend/divisor: leading bits, and whether anything lies below them. `places` digits are at least 32·places −
/// 33 bits.
template <int places = 4, int max>
EXACTDOT_CORE wide divide(const basic_digits<max>& dividend, const basic_digits<max>& divisor) {
  static_assert(places % 2 == 0 && places <= 2 * wide::limbs);
  std::uint32_t rest[max + places] = {};
  // the leading digits of the dividend, zeros behind them, and a zero before them
  const int used = divisor.count + places - 1;
  wide quotient;
  for (int i = 0; i < used; ++i) {
    const int from = dividend.count - used + i;
    rest[i] = from < 0 ? 0 : dividend.digit[from];
  }
  for (int i = 0; i < dividend.count - used; ++i) quotient.sticky = quotient.sticky || dividend.digit[i] != 0;
  std::uint64_t digit[places] = {};
  for (int place = places - 1; place >= 0; --place) digit[place] = quotient_digit(rest + place, divisor);
  for (int i = 0; i < divisor.count; ++i) quotient.sticky = quotient.sticky || rest[i] != 0;
  for (int i = 0; i < places / 2; ++i) quotient.limb[i] = digit[2 * i + 1] << 32 | digit[2 * i];
  quotient.exponent = dividend.exponent - divisor.exponent + 32 * (dividend.count - used);
  normalise(quotient);
  return quotient;
}

/// What division asks of a normalised state first.
struct state_class {
  bool nan, infinite, zero, negative;
};
EXACTDOT_CORE state_class class_of(const state_layout& layout, const std::int64_t* words) {
  const special_terms special = special_terms_of(layout, words);
  if (special.any()) {
    const bool nan = special.nan || (special.plus && special.minus);
    return {nan, !nan, false, special.minus};
  }
  bool zero = true;
  for (int i = 0; i < layout.limbs; ++i) zero = zero && words[i] == 0;
  return {false, false, zero, words[layout.limbs - 1] < 0};
}

/// A quotient before its rounding.
struct state_quotient {
  enum class outcome_kind : unsigned char { finite, zero, infinite, nan };

  outcome_kind is = outcome_kind::nan;
  bool negative = false;
  wide magnitude = {};  ///< of a finite one
};

/// The quotient of two normalised states, by the rules of IEEE 754 for zeros, infinities and NaN; a sum of zero is
/// +0. May negate the limbs in place.
EXACTDOT_CORE state_quotient quotient_of(const state_layout& layout, std::int64_t* words,
                                         const state_layout& divisor_layout, std::int64_t* divisor_words) {
  using outcome_kind = state_quotient::outcome_kind;
  const state_class a = class_of(layout, words), b = class_of(divisor_layout, divisor_words);
  const bool negative = a.negative != b.negative;
  if (a.nan || b.nan || (a.infinite && b.infinite) || (a.zero && b.zero)) return {outcome_kind::nan, false, {}};
  if (a.infinite || b.zero) return {outcome_kind::infinite, negative, {}};
  if (b.infinite || a.zero) return {outcome_kind::zero, negative, {}};
  const fixed_point dividend = layout.number(words), divisor = divisor_layout.number(divisor_words);
  if (a.negative) negate(dividend);
  if (b.negative) negate(divisor);
  return {outcome_kind::finite, negative, divide(digits_of(dividend), digits_of(divisor))};
}

/// The same, rounded once to a floating-point format.
EXACTDOT_CORE std::uint64_t round_quotient(number_format to, const state_quotient& of) {
  using outcome_kind = state_quotient::outcome_kind;
  if (of.is == outcome_kind::nan) return nan_word(to);
  if (of.is == outcome_kind::infinite) return infinity_word(to, of.negative);
  return of.is == outcome_kind::zero ? sign_bit(to, of.negative) : round_wide(to, of.negative, of.magnitude);
}

}  // namespace exactdot::inline v0_3::core

// Finishes: how a sum becomes a result. Chosen at run time, so that kernels do not multiply with them.
//
// A finish has two entries. From an enclosure: the sum is head + tail, give or take a bound; rounding is monotone,
// so if both ends give the same bits, these are the bits of the exact result (A. Ziv, ACM TOMS 17, 1991). From an
// exact state: integers only. Both serve CPU and GPU. Results are the low bits of a 64-bit word.
#pragma once

#include <core/state.hpp>

namespace exactdot::core {

enum class finish : unsigned char {
  round,  ///< the sum, rounded once to nearest, ties to even
};

/// What the result is: how it is made of the sum, and the number format it is rounded to. One word, because a
/// kernel reads it at its end from its parameters, and bytes take longer to load.
class result_rule {
 public:
  constexpr result_rule() : result_rule(core::finish::round, {53, 11}) {}
  EXACTDOT_CORE result_rule(core::finish chosen, number_format to)
      : word_(static_cast<unsigned>(to.precision) | static_cast<unsigned>(to.exponent_bits) << 8 |
              static_cast<unsigned>(chosen) << 16) {}

  [[nodiscard]] EXACTDOT_CORE int precision() const { return static_cast<int>(word_ & 0xff); }
  [[nodiscard]] EXACTDOT_CORE number_format format() const {
    return {precision(), static_cast<int>(word_ >> 8 & 0xff)};
  }
  [[nodiscard]] EXACTDOT_CORE core::finish finish() const { return static_cast<core::finish>(word_ >> 16); }
  /// Whether the result is a T.
  template <class T>
  [[nodiscard]] EXACTDOT_CORE bool gives() const {
    return (word_ & 0xffff) == (static_cast<unsigned>(core::format<T>::precision) |
                                static_cast<unsigned>(core::format<T>::exponent_bits) << 8);
  }
  /// Bytes of a result.
  [[nodiscard]] EXACTDOT_CORE int bytes() const { return (format().precision + format().exponent_bits) / 8; }

 private:
  std::uint32_t word_;
};

/// The result to R, if it is the same for every sum in head + [tail - bound, tail + bound]; else false. The ends
/// are doubles, so the bound has to include their own rounding where R is narrower. Compares bits: -0 is not +0.
template <class R>
EXACTDOT_CORE bool decide(double head, double tail, double bound, R& result) {
  result = static_cast<R>(head + (tail - bound));
  return to_word(result) == to_word(static_cast<R>(head + (tail + bound)));
}

/// A result, or that the enclosure is too wide.
struct decision {
  std::uint64_t word;
  bool certain;
};

/// The same with the format as a value.
EXACTDOT_CORE decision decide(const result_rule& rule, double head, double tail, double bound) {
  if (rule.gives<float>()) {
    float result = 0;
    const bool certain = decide(head, tail, bound, result);
    return {to_word(result), certain};
  }
  double result = 0;
  const bool certain = decide(head, tail, bound, result);
  return {to_word(result), certain};
}

/// A sum of mode fast, converted. The canonical NaN for NaN.
template <class T>
EXACTDOT_CORE std::uint64_t converted_word(const result_rule& rule, T sum) {
  if (rule.gives<T>()) return to_word(sum != sum ? canonical_nan<T>() : sum);
  if (sum != sum) return nan_word(rule.format());
  return rule.gives<float>() ? to_word(static_cast<float>(sum)) : to_word(static_cast<double>(sum));
}

/// The result for a sum with NaN or infinite terms.
EXACTDOT_CORE std::uint64_t special_word(number_format to, bool any_nan, bool any_positive, bool any_negative) {
  if (any_nan || (any_positive && any_negative)) return nan_word(to);
  return infinity_word(to, any_negative);
}

/// The result of a normalised state, special values first. May negate the limbs in place.
EXACTDOT_CORE std::uint64_t finish_state(const result_rule& rule, const state_layout& layout, std::int64_t* words) {
  const bool nan = words[layout.nans()] != 0;
  const bool plus = words[layout.positive_infinities()] != 0;
  const bool minus = words[layout.negative_infinities()] != 0;
  if (nan || plus || minus) return special_word(rule.format(), nan, plus, minus);
  return round_limbs(rule.format(), layout.number(words));
}

}  // namespace exactdot::core

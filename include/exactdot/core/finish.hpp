// Finishes: how a sum becomes a result. Chosen at run time, so that kernels do not multiply with them.
//
// A finish has two entries. From an enclosure: the sum is head + tail, give or take a bound; rounding is monotone,
// so if both ends give the same bits, these are the bits of the exact result (A. Ziv, ACM TOMS 17, 1991). From an
// exact state: integers only. Both serve CPU and GPU. Results are the low bits of a 64-bit word.
#pragma once

#include <exactdot/core/state.hpp>
#include <exactdot/core/wide.hpp>

namespace exactdot::inline v0_3::core {

enum class finish : unsigned char {
  round,      ///< the sum, rounded once to nearest, ties to even; an integer type takes it as it is
  root,       ///< its square root, rounded once
  quotient,   ///< the sum over the number of elements, rounded once
  variance,   ///< of the sum and the sum of squares; see finish_moments
  deviation,  ///< the root of that
};

/// Whether a second sum, that of the squares, is finished with the first.
constexpr bool has_second_sum(finish how) { return how == finish::variance || how == finish::deviation; }
/// Whether the result depends on the number of elements.
constexpr bool finish_counts_elements(finish how) { return how == finish::quotient || has_second_sum(how); }

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
  [[nodiscard]] EXACTDOT_CORE bool is_integer() const { return (word_ >> 8 & 0xff) == 0; }
  /// Whether the result is a T.
  template <class T>
  [[nodiscard]] EXACTDOT_CORE bool gives() const {
    return (word_ & 0xffff) == (static_cast<unsigned>(core::format<T>::precision) |
                                static_cast<unsigned>(core::format<T>::exponent_bits) << 8);
  }
  /// Bytes of a result.
  [[nodiscard]] EXACTDOT_CORE int bytes() const {
    return is_integer() ? (precision() + 7) / 8 : (format().precision + format().exponent_bits) / 8;
  }

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

/// x · 2^exponent rounded once to any format, over its whole range, in integers. x is not NaN.
template <class T>
EXACTDOT_CORE std::uint64_t round_finite(number_format to, T x, int exponent = 0) {
  const exact_term term = decompose(x);
  if (term.kind != kind::finite) return infinity_word(to, term.negative);
  const auto significand = static_cast<std::uint64_t>(term.magnitude);
  if (significand == 0) return sign_bit(to, term.negative);
  const int up = leading_zeros(significand);
  return round_significand(to, term.negative, significand << up, term.exponent + exponent - up, false);
}

/// A sum of mode fast, converted. The canonical NaN for NaN.
template <class T>
EXACTDOT_CORE std::uint64_t converted_word(const result_rule& rule, T sum) {
  if (rule.gives<T>()) return to_word(sum != sum ? canonical_nan<T>() : sum);
  if (sum != sum) return nan_word(rule.format());
  if (rule.gives<float>()) return to_word(static_cast<float>(sum));
  if (rule.gives<double>()) return to_word(static_cast<double>(sum));
  return round_finite(rule.format(), sum);
}

/// The result for a sum with NaN or infinite terms.
EXACTDOT_CORE std::uint64_t special_word(number_format to, bool any_nan, bool any_positive, bool any_negative) {
  if (any_nan || (any_positive && any_negative)) return nan_word(to);
  return infinity_word(to, any_negative);
}

/// A result, and whether an integer type holds it.
struct outcome {
  std::uint64_t word;
  bool overflows = false;
};

/// An integer as a 64-bit integer with a sign (precision 63) or without one (64).
EXACTDOT_CORE outcome to_integer(const result_rule& rule, bool negative, const wide& magnitude) {
  if (magnitude.is_zero()) return {0};
  const int bits = magnitude.exponent + 256;  // of the integer
  if (bits > 64) return {0, true};
  const std::uint64_t value = magnitude.limb[3] >> (64 - bits);
  const std::uint64_t limit = ~std::uint64_t{0} >> (64 - rule.precision());
  if (!negative) return {value, value > limit};
  return {std::uint64_t{0} - value, rule.precision() == 64 || value > limit + 1};
}

/// The counts of special terms in a state.
struct special_terms {
  bool nan, plus, minus;
  [[nodiscard]] EXACTDOT_CORE bool any() const { return nan || plus || minus; }
};
EXACTDOT_CORE special_terms special_terms_of(const state_layout& layout, const std::int64_t* words) {
  return {words[layout.nans()] != 0, words[layout.positive_infinities()] != 0,
          words[layout.negative_infinities()] != 0};
}

/// The result of a normalised state of `count` elements, special values first. May negate the limbs in place.
EXACTDOT_CORE outcome finish_state(const result_rule& rule, const state_layout& layout, std::int64_t* words,
                                   std::uint64_t count = 1) {
  const special_terms special = special_terms_of(layout, words);
  if (special.any()) return {special_word(rule.format(), special.nan, special.plus, special.minus)};
  if (rule.finish() == finish::quotient && count == 0) return {nan_word(rule.format())};
  const fixed_point number = layout.number(words);
  if (rule.finish() == finish::round && !rule.is_integer()) return {round_limbs(rule.format(), number)};
  const bool negative = is_negative(number);
  if (negative) negate(number);
  wide magnitude = leading_bits(number);
  if (rule.finish() == finish::root) take_root(magnitude);
  if (rule.finish() == finish::quotient) divide(magnitude, count);
  if (rule.is_integer()) return to_integer(rule, negative, magnitude);
  return {round_wide(rule.format(), negative, magnitude)};
}

/// Limbs of number², or of a state times a 64-bit integer, of the widest state.
inline constexpr int max_moment_limbs = 2 * max_state_words + 4;

/// n·Σx² − (Σx)² from normalised states of Σx, not negative, and Σx², in `scratch`, max_moment_limbs words; not
/// normalised. Cost: the product of the nonzero limbs of Σx with themselves.
EXACTDOT_CORE fixed_point exact_moment_numerator(const state_layout& layout, const std::int64_t* sum,
                                                 const std::int64_t* squares, std::uint64_t n,
                                                 std::int64_t* scratch) {
  int lowest = 0, top = layout.limbs - 1;
  while (top >= 0 && sum[top] == 0) --top;
  while (lowest < top && sum[lowest] == 0) ++lowest;
  // with two pending carries per limb product
  const fixed_point numerator{scratch, 2 * layout.limbs + 4, 2 * layout.lowest_exponent};
  for (int i = 0; i < numerator.count; ++i) scratch[i] = 0;
  for (int i = 0; i < layout.limbs; ++i) {
    if (squares[i] == 0) continue;
    const uint128 product = static_cast<uint128>(static_cast<std::uint64_t>(squares[i])) * n;
    add<128>(numerator, product, layout.lowest_exponent + 32 * i, false);
  }
  for (int i = lowest; i <= top; ++i) {
    for (int j = lowest; j <= top; ++j) {
      const uint128 product =
          static_cast<uint128>(static_cast<std::uint64_t>(sum[i])) * static_cast<std::uint64_t>(sum[j]);
      add<128>(numerator, product, numerator.lowest_exponent + 32 * (i + j), true);
    }
  }
  return numerator;
}

/// The variance (n·Σx² − (Σx)²)/(n·(n − ddof)) or its root, rounded once, from normalised states of Σx and Σx² of n
/// elements. NaN if any element is infinite or NaN, or n <= ddof. `scratch`: max_moment_limbs words. May negate Σx
/// in place. Source: the exact rational value in integers, no formula is unstable.
EXACTDOT_CORE outcome finish_moments(const result_rule& rule, const state_layout& layout, std::int64_t* sum,
                                     const std::int64_t* squares, std::uint64_t n, std::uint64_t ddof,
                                     std::int64_t* scratch) {
  const bool special = special_terms_of(layout, sum).any() || special_terms_of(layout, squares).any();
  if (special || n <= ddof) return {nan_word(rule.format())};
  const fixed_point total = layout.number(sum);
  if (is_negative(total)) negate(total);
  const fixed_point numerator = exact_moment_numerator(layout, sum, squares, n, scratch);
  normalise(numerator);
  wide ratio = leading_bits(numerator);
  divide(ratio, n);
  divide(ratio, n - ddof);
  if (rule.finish() == finish::deviation) take_root(ratio);
  return {round_wide(rule.format(), false, ratio)};
}

}  // namespace exactdot::inline v0_3::core

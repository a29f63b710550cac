// Finishes of a sum that is known within a bound.
//
// The sum is head + tail, give or take `bound`. A finish maps this interval to one of results; rounding is
// monotone, so if both of its ends give the same bits, these are the bits of the exact result (A. Ziv, ACM TOMS 17,
// 1991, §3). Otherwise nothing is decided, and the next level follows. Some 20 flops; for CPU and GPU.
#pragma once

#include <cmath>
#include <exactdot/core/error_free.hpp>
#include <exactdot/core/finish.hpp>

namespace exactdot::inline v0_3::core {

EXACTDOT_CORE double magnitude_of(double x) { return x < 0 ? -x : x; }

/// |head + tail - sum| <= bound. Anything infinite or NaN decides nothing.
struct enclosure {
  double head;
  double tail;
  double bound;

  [[nodiscard]] EXACTDOT_CORE bool is_finite() const {
    return bound < HUGE_VAL && magnitude_of(head) < HUGE_VAL && magnitude_of(tail) < HUGE_VAL;
  }
};

/// 17/16 covers the rounding of bounds, 2^-52 |tail| that of tail ± bound; ends that are rounded again to a
/// narrower format must enclose the sum as doubles: 2^-51 |head|.
EXACTDOT_CORE double widened(const enclosure& sum, bool narrow) {
  const double bound = sum.bound * 1.0625 + 0x1p-52 * magnitude_of(sum.tail);
  return narrow ? bound + 0x1p-51 * magnitude_of(sum.head) : bound;
}

/// The sum rounded to R.
template <class R>
EXACTDOT_CORE decision decide_rounding(const enclosure& sum) {
  R result = 0;
  const bool certain = decide(sum.head, sum.tail, widened(sum, sizeof(R) < sizeof(double)), result);
  return {to_word(result), certain && sum.is_finite()};  // two NaNs have the same bits
}

/// The enclosure of √sum or of sum / count, where `count` is exact; an infinite bound where the formulas do not
/// hold. Sources of the error: see docs/algorithms.md. `root`: correctly rounded √head.
EXACTDOT_CORE enclosure root_of(const enclosure& sum, double root, double residual) {
  constexpr enclosure unknown{0, 0, HUGE_VAL};
  if (!(sum.head > 0x1p-900 && sum.head < 0x1p900)) return unknown;
  const double relative = (magnitude_of(residual) + magnitude_of(sum.tail) + sum.bound) / sum.head;
  if (!(relative < 0x1p-20)) return unknown;
  const double tail = (residual + sum.tail) / (2 * root);
  return {root, tail,
          sum.bound / (2 * root) * 1.0625 + 0x1p-50 * magnitude_of(tail) + root * (relative * relative)};
}
EXACTDOT_CORE enclosure quotient_of(const enclosure& sum, double count, double quotient, double residual) {
  const double size = magnitude_of(sum.head);
  if (!(size > 0x1p-900 && size < 0x1p900)) return {0, 0, HUGE_VAL};
  const double tail = (residual + sum.tail) / count;
  return {quotient, tail, sum.bound / count * 1.0625 + 0x1p-50 * magnitude_of(tail)};
}

/// The integer nearest to the sum, which is an integer, if the bound leaves one. Results are below 2^62 in
/// magnitude, so both 64-bit types hold them; a negative result for uint64 stays undecided, and the exact state
/// reports it.
EXACTDOT_CORE decision decide_integer(const result_rule& rule, const enclosure& sum) {
  if (!(sum.bound < 0.25 && magnitude_of(sum.head) < 0x1p62 && magnitude_of(sum.tail) < 0x1p62)) return {0, false};
  const auto whole = static_cast<std::int64_t>(sum.head);
  const double rest = (sum.head - static_cast<double>(whole)) + sum.tail;  // exact difference
  const double lifted = rest < 0 ? rest - 0.5 : rest + 0.5;
  const std::int64_t value = whole + static_cast<std::int64_t>(lifted);
  return {static_cast<std::uint64_t>(value), rule.precision() != 64 || value >= 0};
}

/// A part of engines, below, that have no faster way.
struct rounding_in_integers {
  static EXACTDOT_CORE std::uint64_t rounded(number_format to, double x) { return round_finite(to, x); }
};

/// The sum rounded to a format that no C++ type has.
template <class Engine>
EXACTDOT_CORE decision decide_format(number_format to, const enclosure& sum) {
  if (!sum.is_finite()) return {0, false};
  if (sum.head == 0 && sum.tail == 0 && sum.bound == 0) return {0, true};
  const double bound = widened(sum, true);
  const double low = sum.head + (sum.tail - bound), high = sum.head + (sum.tail + bound);
  const std::uint64_t word = Engine::rounded(to, low);
  return {word, word == Engine::rounded(to, high)};
}

/// head + tail rounded to odd: a format of two bits fewer gets its own rounding of the sum by way of this double
/// (S. Boldo, G. Melquiond, IEEE Transactions on Computers 57, 2008).
EXACTDOT_CORE double rounded_to_odd(double head, double tail) {
  const auto sum = two_sum(head, tail);
  const auto bits = bit_cast<std::uint64_t>(sum.value);
  if (sum.error == 0 || (bits & 1) != 0) return sum.value;
  return bit_cast<double>((sum.error > 0) == (sum.value > 0) ? bits + 1 : bits - 1);
}

/// The value rounded to a format narrower than double, where its head is half way between two results and its tail
/// decides.
template <class Engine>
EXACTDOT_CORE decision decide_beside_tie(number_format to, const enclosure& value) {
  const double bound = widened(value, false);
  if (!value.is_finite() || !(bound < magnitude_of(value.head))) return {0, false};
  const std::uint64_t word = Engine::rounded(to, rounded_to_odd(value.head, value.tail - bound));
  return {word, word == Engine::rounded(to, rounded_to_odd(value.head, value.tail + bound))};
}

/// What a rule makes of the final value, if it is certain.
template <class Engine>
EXACTDOT_CORE decision decide_value(const result_rule& rule, const enclosure& value) {
  if (rule.is_integer()) return decide_integer(rule, value);
  if (rule.gives<double>()) return decide_rounding<double>(value);
  const decision found =
      rule.gives<float>() ? decide_rounding<float>(value) : decide_format<Engine>(rule.format(), value);
  return found.certain ? found : decide_beside_tie<Engine>(rule.format(), value);
}

/// The same for a value in units of 2^exponent. Where the result is a normal double, infinite included, both ends
/// are rounded once, to 53 bits, and the unit changes no bit. All other ends are rounded again.
EXACTDOT_CORE decision decide_scaled_value(const result_rule& rule, const enclosure& value, int exponent) {
  const auto field = static_cast<int>(bit_cast<std::uint64_t>(magnitude_of(value.head)) >> 52);
  constexpr int highest = 2000;  // ends that are infinite stand for finite numbers
  if (value.head == 0 && value.tail == 0 && value.bound == 0) return {0, true};
  if (rule.is_integer() || !value.is_finite() || field > highest) return {0, false};
  const bool normal = field > 1 && field + exponent > 1;
  const double bound = widened(value, !(normal && rule.gives<double>()));
  const double low = value.head + (value.tail - bound), high = value.head + (value.tail + bound);
  const std::uint64_t word = round_finite(rule.format(), low, exponent);
  return {word, word == round_finite(rule.format(), high, exponent)};
}

/// The enclosure of a finish of a sum. `count`: of the elements. Engine: correctly rounded root(x),
/// fma(x, y, z) and rounded(format, x), the bits in a narrower format of an x that is not NaN.
template <class Engine>
EXACTDOT_CORE enclosure value_of(const result_rule& rule, double count, const enclosure& sum) {
  const bool is_zero = sum.head == 0 && sum.bound == 0;
  if (rule.finish() == finish::round) return sum;
  if (rule.finish() == finish::root) {
    if (is_zero) return sum;
    const double r = Engine::root(sum.head > 0 ? sum.head : 1.0);
    return root_of(sum, r, Engine::fma(-r, r, sum.head));
  }
  if (rule.finish() != finish::quotient || !(count < 0x1p53)) return {0, 0, HUGE_VAL};
  if (is_zero && count > 0) return sum;
  const double q = sum.head / count;
  return quotient_of(sum, count, q, Engine::fma(-q, count, sum.head));
}

/// The result of a rule, if it is certain.
template <class Engine>
EXACTDOT_CORE decision decide_finish(const result_rule& rule, double count, const enclosure& sum) {
  return decide_value<Engine>(rule, value_of<Engine>(rule, count, sum));
}

/// The same for a sum in units of 2^exponent; `exponent` is even.
template <class Engine>
EXACTDOT_CORE decision decide_scaled_finish(const result_rule& rule, double count, const enclosure& sum,
                                            int exponent) {
  const int of_value = rule.finish() == finish::root ? exponent / 2 : exponent;
  return decide_scaled_value(rule, value_of<Engine>(rule, count, sum), of_value);
}

}  // namespace exactdot::inline v0_3::core

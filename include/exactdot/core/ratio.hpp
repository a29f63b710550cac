// Ratios: reductions that are made of up to five sums of two vectors, such as a correlation, and of their number.
// Which sums a ratio needs follows from its formula (`sums_of`).
//
// Each is one formula of exact numbers, a quotient N/D, N/√D or √(N/D), which is evaluated twice at most: with sums
// in two doubles and a bound (`enclosed`), whose result is rounded if both ends of the bound give the same bits (A.
// Ziv, ACM TOMS 17, 1991), and otherwise with the sums themselves, in integers of any length. Some 300 flops at
// first. Source of the arithmetic of two doubles: T. Dekker, Numerische Mathematik 18, 1971; M. Joldes, J.-M.
// Muller, V. Popescu, ACM TOMS 44, 2017.
#pragma once

#include <exactdot/core/enclosure.hpp>
#include <exactdot/core/reduction.hpp>

namespace exactdot::inline v0_3::core {

/// n, n − ddof and ddof, Σx, Σy, Σxy, Σx², Σy², Σx²y. Those that a formula does not use are 0.
template <class Number>
struct ratio_sums {
  Number n, degrees, ddof, x, y, xy, xx, yy, xxy;
};

/// The places of the sums in arrays, and how often x and y are factors of their terms.
enum ratio_sum : unsigned char {
  sum_of_x,
  sum_of_y,
  sum_of_xy,
  sum_of_xx,
  sum_of_yy,
  sum_of_xxy,
  ratio_sum_count
};
struct ratio_factors {
  int x, y;
};
inline constexpr ratio_factors factors_of_sums[ratio_sum_count] = {{1, 0}, {0, 1}, {1, 1}, {2, 0}, {0, 2}, {2, 1}};

/// The numerator and the divisor of a ratio. Number: with +, −, · and Number::of_count(n).
template <class Number>
EXACTDOT_CORE Number numerator_of(ratio_numerator formula, const ratio_sums<Number>& s) {
  switch (formula) {
    case ratio_numerator::product:
      return s.xy;
    case ratio_numerator::comoment:
      return s.n * s.xy - s.x * s.y;
    case ratio_numerator::moment:
      return s.n * s.xx - s.x * s.x;
    case ratio_numerator::intercept:
      return s.y * s.xx - s.x * s.xy;
    case ratio_numerator::weighted_moment:
      return s.y * s.xxy - s.xy * s.xy;
    default:  // squared_distance
      return (s.xx - s.xy) + (s.yy - s.xy);
  }
}
template <class Number>
EXACTDOT_CORE Number divisor_of(ratio_divisor formula, const ratio_sums<Number>& s) {
  switch (formula) {
    case ratio_divisor::weights:
      return s.y;
    case ratio_divisor::squares:
      return s.xx * s.yy;
    case ratio_divisor::one:
      return Number::of_count(1);
    case ratio_divisor::degrees:
      return s.degrees;
    case ratio_divisor::count_degrees:
      return s.n * s.degrees;
    case ratio_divisor::counts_degrees:
      return s.n * s.n * s.degrees;
    case ratio_divisor::weights_degrees:
      return s.y * (s.y - s.ddof);
    case ratio_divisor::moment:
      return s.n * s.xx - s.x * s.x;
    default:  // moments
      return (s.n * s.xx - s.x * s.x) * (s.n * s.yy - s.y * s.y);
  }
}

/// A set of sums as a number: that of a formula are the sums in it.
struct sum_set {
  unsigned bits = 0;
  [[nodiscard]] constexpr bool has(int sum) const { return (bits >> sum & 1) != 0; }
  static constexpr sum_set of_count(std::uint64_t) { return {}; }
  friend constexpr sum_set operator+(sum_set a, sum_set b) { return {a.bits | b.bits}; }
  friend constexpr sum_set operator-(sum_set a, sum_set b) { return a + b; }
  friend constexpr sum_set operator*(sum_set a, sum_set b) { return a + b; }
};
/// The sums that a ratio is made of.
constexpr sum_set sums_of(const reduction_info& ratio) {
  constexpr auto only = [](ratio_sum sum) { return sum_set{1U << sum}; };
  constexpr ratio_sums<sum_set> all{{}, {}, {}, only(sum_of_x), only(sum_of_y), only(sum_of_xy), only(sum_of_xx),
                                    only(sum_of_yy), only(sum_of_xxy)};
  return numerator_of(ratio.numerator, all) + divisor_of(ratio.divisor, all);
}

/// Whether one of these has terms of three factors, which are summed as products of doubles.
constexpr bool has_cubes(const reduction_info& ratio) { return sums_of(ratio).has(sum_of_xxy); }

/// An enclosure as a number: head and tail are the sum of two doubles. Operators include every rounding of theirs
/// in the bound; operands outside 2^±450, but for 0 itself, give an infinite bound. Engine: fma(x, y, z), root(x).
template <class Engine>
struct enclosed : enclosure {
  static constexpr enclosure unknown{0, 0, HUGE_VAL};

  [[nodiscard]] EXACTDOT_CORE bool is_zero() const { return head == 0 && tail == 0 && bound == 0; }
  /// Whether it is a double: its products have no error but their own.
  [[nodiscard]] EXACTDOT_CORE bool is_exact_head() const { return tail == 0 && bound == 0; }
  [[nodiscard]] EXACTDOT_CORE bool in_range() const {
    return magnitude_of(head) > 0x1p-450 && magnitude_of(head) < 0x1p450 && bound < 0x1p450;
  }
  /// n < 2^53.
  static EXACTDOT_CORE enclosed of_count(std::uint64_t n) { return {{static_cast<double>(n), 0, 0}}; }
  /// head is the sum of both, rounded.
  static EXACTDOT_CORE enclosed normalised(double head, double tail, double bound) {
    const auto sum = two_sum(head, tail);
    return {{sum.value, sum.error, bound}};
  }

  friend EXACTDOT_CORE enclosed operator*(const enclosed& a, const enclosed& b) {
    if (a.is_zero() || b.is_zero()) return {{0, 0, a.bound + b.bound < HUGE_VAL ? 0 : HUGE_VAL}};
    if (!a.in_range() || !b.in_range()) return {unknown};
    const double product = a.head * b.head, error = Engine::fma(a.head, b.head, -product);
    const double first = a.head * b.tail, second = a.tail * b.head;
    const double rest = magnitude_of(error) + magnitude_of(first) + magnitude_of(second);
    const double bound = (magnitude_of(a.head) + magnitude_of(a.tail)) * b.bound +
                         (magnitude_of(b.head) + magnitude_of(b.tail) + b.bound) * a.bound +
                         magnitude_of(a.tail * b.tail) +
                         (a.is_exact_head() && b.is_exact_head() ? 0 : 0x1p-50 * rest + 0x1p-1000);
    return normalised(product, error + (first + second), bound * 1.0625);
  }
  friend EXACTDOT_CORE enclosed operator-(const enclosed& a, const enclosed& b) {
    return a + enclosed{{-b.head, -b.tail, b.bound}};
  }
  friend EXACTDOT_CORE enclosed operator+(const enclosed& a, const enclosed& b) {
    const auto sum = two_sum(a.head, b.head), rest = two_sum(a.tail, b.tail);
    const auto tail = two_sum(sum.error, rest.value);
    const double bound = a.bound + b.bound + (magnitude_of(tail.error) + magnitude_of(rest.error)) * 1.0625;
    return normalised(sum.value, tail.value, bound * 1.0625);
  }

  /// numerator/divisor.
  static EXACTDOT_CORE enclosed quotient(const enclosed& numerator, const enclosed& divisor) {
    if (!divisor.in_range()) return {unknown};
    const double size = magnitude_of(divisor.head);
    const double relative = (magnitude_of(divisor.tail) + divisor.bound) / size;
    if (!(relative < 0x1p-20)) return {unknown};
    if (numerator.is_zero()) return numerator;
    if (!numerator.in_range()) return {unknown};
    const double first = numerator.head / divisor.head;
    const double residual = Engine::fma(-first, divisor.head, numerator.head), shift = first * divisor.tail;
    const double tail = (residual + (numerator.tail - shift)) / divisor.head;
    const double rounding = 0x1p-50 * (magnitude_of(residual) + magnitude_of(numerator.tail) + magnitude_of(shift));
    const double bound = (numerator.bound + magnitude_of(first) * divisor.bound + rounding) / size +
                         magnitude_of(tail) * relative + 0x1p-500 * magnitude_of(first) + 0x1p-1000;
    return normalised(first, tail, bound * 1.0625);
  }
  static EXACTDOT_CORE enclosed root(const enclosed& of) {
    const double first = Engine::root(of.head > 0 ? of.head : 1.0);
    const enclosure found = root_of(of, first, Engine::fma(-first, first, of.head));
    return found.is_finite() ? normalised(found.head, found.tail, found.bound) : enclosed{unknown};
  }
};

/// The result of a ratio from enclosures of its sums, if it is certain.
template <class Engine>
EXACTDOT_CORE decision decide_ratio(number_format to, const reduction_info& ratio,
                                    const ratio_sums<enclosed<Engine>>& sums) {
  using number = enclosed<Engine>;
  const number numerator = numerator_of(ratio.numerator, sums);
  number divisor = divisor_of(ratio.divisor, sums);
  if (has_degrees(ratio.divisor) && !(divisor.head > 0)) return {0, false};
  if (ratio.form == ratio_form::over_root) divisor = number::root(divisor);
  number found = number::quotient(numerator, divisor);
  if (ratio.form == ratio_form::quotient_root && !found.is_zero()) found = number::root(found);
  return decide_value<Engine>({finish::quotient, to}, found);
}

}  // namespace exactdot::inline v0_3::core

// Ratios: reductions that are made of up to five sums of two vectors, such as a correlation, and of their number.
//
// Each is one formula of exact numbers, a quotient N/D, N/√D or √(N/D), which is evaluated twice at most: with sums
// in two doubles and a bound (`enclosed`), whose result is rounded if both ends of the bound give the same bits (A.
// Ziv, ACM TOMS 17, 1991), and otherwise with the sums themselves, in integers of any length. Some 300 flops at
// first. Source of the arithmetic of two doubles: T. Dekker, Numer. Math. 18, 1971; M. Joldes, J.-M. Muller, V.
// Popescu, ACM TOMS 44, 2017.
#pragma once

#include <exactdot/core/enclosure.hpp>
#include <exactdot/core/reduction.hpp>

namespace exactdot::inline v0_3::core {

/// n and n − ddof, Σx, Σy, Σxy, Σx², Σy². Those that a formula does not use are 0; n is 1 where elements are not
/// counted.
template <class Number>
struct ratio_sums {
  Number n, degrees, x, y, xy, xx, yy;
};

enum class ratio_form : unsigned char {
  quotient,       ///< numerator/divisor
  over_root,      ///< numerator/√divisor
  quotient_root,  ///< √(numerator/divisor)
};

template <class Number>
struct ratio_parts {
  ratio_form form;
  Number numerator, divisor;
};

/// The formula of a ratio. Sources: docs/contract.md.
template <class Number>
EXACTDOT_CORE ratio_parts<Number> formula_of(reduction what, const ratio_sums<Number>& s) {
  const auto comoment = [&] { return s.n * s.xy - s.x * s.y; };
  const auto moment = [&](const Number& sum, const Number& squares) { return s.n * squares - sum * sum; };
  switch (what) {
    case reduction::weighted_mean:
      return {ratio_form::quotient, s.xy, s.y};
    case reduction::cosine:
      return {ratio_form::over_root, s.xy, s.xx * s.yy};
    case reduction::distance:
      return {ratio_form::quotient_root, (s.xx - s.xy) + (s.yy - s.xy), s.n};
    case reduction::covariance:
      return {ratio_form::quotient, comoment(), s.n * s.degrees};
    case reduction::correlation:
      return {ratio_form::over_root, comoment(), moment(s.x, s.xx) * moment(s.y, s.yy)};
    case reduction::slope:
      return {ratio_form::quotient, comoment(), moment(s.x, s.xx)};
    case reduction::intercept:
      return {ratio_form::quotient, s.y * s.xx - s.x * s.xy, moment(s.x, s.xx)};
    default:  // standard_error
      return {ratio_form::quotient_root, moment(s.x, s.xx), s.n * s.n * s.degrees};
  }
}

/// An enclosure as a number: head and tail are the sum of two doubles. Operators include every rounding of theirs
/// in the bound; operands outside 2^±450, but for 0 itself, give an infinite bound. Engine: fma(x, y, z), root(x).
template <class Engine>
struct enclosed : enclosure {
  static constexpr enclosure unknown{0, 0, HUGE_VAL};

  [[nodiscard]] EXACTDOT_CORE bool is_zero() const { return head == 0 && tail == 0 && bound == 0; }
  [[nodiscard]] EXACTDOT_CORE bool in_range() const {
    return magnitude_of(head) > 0x1p-450 && magnitude_of(head) < 0x1p450 && bound < 0x1p450;
  }
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
                         (a.tail != 0 || b.tail != 0 ? 0x1p-50 * rest + 0x1p-1000 : 0);
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
                         magnitude_of(tail) * relative + 0x1p-1000;
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
EXACTDOT_CORE decision decide_ratio(const result_rule& rule, reduction what,
                                    const ratio_sums<enclosed<Engine>>& sums) {
  using number = enclosed<Engine>;
  const ratio_parts<number> parts = formula_of(what, sums);
  number found = parts.form == ratio_form::over_root
                     ? number::quotient(parts.numerator, number::root(parts.divisor))
                     : number::quotient(parts.numerator, parts.divisor);
  if (parts.form == ratio_form::quotient_root && !found.is_zero()) found = number::root(found);
  return decide_value<Engine>(rule, found);
}

}  // namespace exactdot::inline v0_3::core

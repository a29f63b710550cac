// Variances and their roots of two sums, Σx and Σx², that are known within bounds or, of few elements of few bits,
// without an error: then ties and zeros too, which no bound decides. The variance of 16 floats in doubles is a tie
// once in some hundred times.
//
// For CPU and GPU; some 60 flops, and as many for what the bounds leave open if both sums are exact.
#pragma once

#include <exactdot/core/exact_result.hpp>

namespace exactdot::inline v0_3::core {

/// The enclosure of n·Σx² − (Σx)², each product in two doubles; an infinite bound where these may leave their
/// range. The bound follows from (S ± e)² ⊂ S² ± (2|S| + e)·e; 2^-50 covers four roundings of the tail. n < 2^53.
template <class Engine>
EXACTDOT_CORE enclosure moment_numerator(double n, const enclosure& sum, const enclosure& squares) {
  const auto x = two_sum(sum.head, sum.tail), q = two_sum(squares.head, squares.tail);
  const double size = magnitude_of(x.value), rest = magnitude_of(x.error);
  const bool in_range =
      (size == 0 || (size > 0x1p-400 && size < 0x1p400)) && q.value > 0x1p-800 && q.value < 0x1p800;
  if (!in_range) return {0, 0, HUGE_VAL};
  const double whole = n * q.value, whole_error = Engine::fma(n, q.value, -whole), whole_rest = n * q.error;
  const double square = x.value * x.value, square_error = Engine::fma(x.value, x.value, -square);
  const double square_rest = 2 * x.value * x.error;  // without x.error², which the bound has
  const auto difference = two_sum(whole, -square);
  const double tail = difference.error + (whole_error - square_error) + (whole_rest - square_rest);
  const double magnitudes = magnitude_of(difference.error) + magnitude_of(whole_error) +
                            magnitude_of(square_error) + magnitude_of(whole_rest) + magnitude_of(square_rest);
  const double bound =
      n * squares.bound + (2 * (size + rest) + sum.bound) * sum.bound + rest * rest + 0x1p-50 * magnitudes;
  return {difference.value, tail, bound * 1.0625 + 0x1p-1000};
}

/// n·Σx² − (Σx)² itself, if two doubles hold it, and the sums have no error, Σx in one double and Σx² in two: the
/// products are five doubles, whose sum loses nothing where each TwoSum but the last has an error that is added.
struct exact_numerator {
  double head, tail;
  bool is_known;
};
template <class Engine>
EXACTDOT_CORE exact_numerator numerator_of_exact(double n, const enclosure& sum, const enclosure& squares) {
  constexpr exact_numerator unknown{0, 0, false};
  if (sum.bound != 0 || squares.bound != 0) return unknown;
  const auto x = two_sum(sum.head, sum.tail), q = two_sum(squares.head, squares.tail);
  if (x.value == 0 && q.value == 0) return {0, 0, true};
  const auto in_range = [](double value) {
    return magnitude_of(value) > 0x1p-400 && magnitude_of(value) < 0x1p400;
  };
  if (x.error != 0 || !(x.value == 0 || in_range(x.value)) || !in_range(q.value) ||
      !(q.error == 0 || in_range(q.error))) {
    return unknown;
  }
  const double whole = n * q.value, whole_error = Engine::fma(n, q.value, -whole);
  const double rest = n * q.error, rest_error = Engine::fma(n, q.error, -rest);
  const double square = x.value * x.value, square_error = Engine::fma(x.value, x.value, -square);
  const auto heads = two_sum(whole, -square), errors = two_sum(whole_error, -square_error);
  const auto first = two_sum(heads.error, errors.value), second = two_sum(first.value, rest);
  const auto found = two_sum(heads.value, second.value);
  const bool is_known = errors.error == 0 && first.error == 0 && second.error == 0 && rest_error == 0;
  return {found.value, found.error, is_known};
}

/// The variance (n·Σx² − (Σx)²)/(n·(n − ddof)) or its root, if it is certain.
template <class Engine>
EXACTDOT_CORE decision decide_moments(const result_rule& rule, double n, double ddof, const enclosure& sum,
                                      const enclosure& squares) {
  const double divisor = n * (n - ddof);
  if (!(n < 0x1p53 && ddof < n)) return {0, false};
  const exact_numerator known = numerator_of_exact<Engine>(n, sum, squares);
  if (known.is_known && known.head == 0) return {0, true};
  if (Engine::fma(n, n - ddof, -divisor) != 0) return {0, false};
  const bool is_root = rule.finish() == finish::deviation;
  const enclosure numerator = moment_numerator<Engine>(n, sum, squares);
  const double ratio = numerator.head / divisor;
  enclosure found = quotient_of(numerator, divisor, ratio, Engine::fma(-ratio, divisor, numerator.head));
  if (is_root) {
    const double root = Engine::root(found.head > 0 ? found.head : 1.0);
    found = root_of(found, root, Engine::fma(-root, root, found.head));
  }
  const decision decided = decide_value<Engine>(rule, found);
  if (decided.certain || !known.is_known || is_root || rule.is_integer() || !(divisor < 0x1p50)) return decided;
  return decide_exact_mean<Engine>(rule, static_cast<std::uint64_t>(divisor), known.head, known.tail);
}

}  // namespace exactdot::inline v0_3::core

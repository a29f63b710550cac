// Elements of normalised rows, rounded once: y = (x − m)·w/√(v + ε) + b with the row's exact mean m and variance v
// (layer norm), or with m = 0 and v = Σx²/n (RMS norm).
//
// In integers y = A/√D + b, where A = (n·x − Σx)·w and D = n·Σx² − (Σx)² + n²·ε; an RMS norm is that of Σx = 0.
// From enclosures of both sums an element costs some 30 flops. What they leave open is compared in integers with
// the numbers next to it: y < t if A² < (t − b)²·D, for signs that agree. So no data need more bits than are there.
#pragma once

#include <exactdot/core/moment_decision.hpp>
#include <exactdot/core/rounding_by_comparison.hpp>

namespace exactdot::inline v0_3::core {

/// What is the same for all elements of a row: m, and 1/√(v + ε) with a relative bound. An infinite bound decides
/// nothing.
struct row_scale {
  double mean_head = 0, mean_tail = 0, mean_bound = 0;
  double head = 0, tail = 0, relative = HUGE_VAL;
};

/// From enclosures of Σx, which is 0 ± 0 for an RMS norm, and of Σx², of n < 2^31 elements. ε as checked by
/// is_normalisation_epsilon.
template <class Engine>
EXACTDOT_CORE row_scale scale_of(double n, double epsilon, const enclosure& sum, const enclosure& squares) {
  row_scale row;
  const bool is_centred = sum.head != 0 || sum.bound != 0;
  const enclosure numerator = is_centred ? moment_numerator<Engine>(n, sum, squares) : squares;
  const double once = n * epsilon, once_error = Engine::fma(n, epsilon, -once);
  const double added = is_centred ? n * once : once;  // n² may be no double
  const double added_error = is_centred ? Engine::fma(n, once, -added) + n * once_error : once_error;
  const auto total = two_sum(numerator.head, added);
  // where the numerator cancels, its tail is not small beside the sum
  const auto renormalised = two_sum(total.value, total.error + (numerator.tail + added_error));
  const double head = renormalised.value;
  const enclosure of_total{
      head, renormalised.error,
      numerator.bound * 1.0625 + 0x1p-51 * (magnitude_of(numerator.tail) + magnitude_of(added_error) +
                                            magnitude_of(n * once_error) + magnitude_of(total.error))};
  if (!of_total.is_finite() || !(head > 0)) return row;
  const auto over_n = [&](const enclosure& x) {
    const double ratio = x.head / n;
    return quotient_of(x, n, ratio, Engine::fma(-ratio, n, x.head));
  };
  enclosure variance = over_n(of_total);
  if (is_centred) variance = over_n(variance);
  const double root = Engine::root(variance.head > 0 ? variance.head : 1.0);
  const enclosure deviation = root_of(variance, root, Engine::fma(-root, root, variance.head));
  if (!deviation.is_finite() || !(deviation.head > 0)) return row;
  if (is_centred) {
    const enclosure of_mean = over_n(sum);
    if (!of_mean.is_finite()) return row;
    row.mean_head = of_mean.head, row.mean_tail = of_mean.tail, row.mean_bound = of_mean.bound;
  }
  // 1/(r + t) = k + (1 − k·r − k·t)/r up to the square of the second part, below 2^-102
  const double inverse = 1 / deviation.head;
  row.head = inverse;
  row.tail = (Engine::fma(-inverse, deviation.head, 1.0) - inverse * deviation.tail) / deviation.head;
  row.relative = deviation.bound / deviation.head * 1.0625 + 0x1p-100;
  if (!(magnitude_of(deviation.tail) <= 0x1p-51 * deviation.head)) row.relative = HUGE_VAL;
  return row;
}

/// The enclosure of one element. x, w and b are finite.
template <class Engine>
EXACTDOT_CORE enclosure normalised_value(const row_scale& row, double x, double w, double b) {
  constexpr enclosure unknown{0, 0, HUGE_VAL};
  const auto in_range = [](double value) {
    return magnitude_of(value) > 0x1p-900 && magnitude_of(value) < 0x1p900;
  };
  const auto difference = two_sum(x, -row.mean_head);
  const double rest = difference.error - row.mean_tail;
  const bool is_zero = w == 0 || (difference.value == 0 && rest == 0 && row.mean_bound == 0);
  if (is_zero && row.relative < HUGE_VAL) return {b, 0, 0};
  const double product = difference.value * w, weighted_rest = rest * w;
  const double product_tail = Engine::fma(difference.value, w, -product) + weighted_rest;
  const double value = product * row.head;
  const double value_tail = Engine::fma(product, row.head, -value) + (product * row.tail + product_tail * row.head);
  if (!(difference.value == 0 ? rest == 0 || in_range(weighted_rest) : in_range(product) && in_range(value))) {
    return unknown;
  }
  const auto sum = two_sum(value, b);
  const double bound =
      row.head * (magnitude_of(product) * (row.relative + 0x1p-101) + magnitude_of(w) * row.mean_bound +
                  (magnitude_of(weighted_rest) + magnitude_of(product_tail)) * (row.relative + 0x1p-49));
  return {sum.value, sum.error + value_tail,
          bound * 1.0625 + 0x1p-50 * (magnitude_of(value_tail) + magnitude_of(sum.error)) + 0x1p-1000};
}

/// What ε may be: its bits lie within the digits of D for every carrier.
constexpr bool is_normalisation_epsilon(double epsilon) {
  return epsilon == 0 || (epsilon >= 1e-150 && epsilon <= 1e100);
}
/// Elements of a row: n²·ε fits 128 bits.
inline constexpr std::uint64_t max_normalised_row = (std::uint64_t{1} << 31) - 1;

/// Memory of the exact path. Of floats 2.4 KiB, of doubles 6.
template <class Carrier>
struct normalisation_scratch {
  static constexpr int state_limbs = limb_count<Carrier>;
  std::int64_t denominator[2 * state_limbs + 4];
  std::int64_t difference[state_limbs + 2];
  std::int64_t product[state_limbs + 8];
  std::int64_t distance[72];  ///< t − b of doubles: 2176 bits
  std::int64_t square[144];
};

/// The largest multiple of 32 that is at most x.
EXACTDOT_CORE int lower_multiple_of_32(int x) { return x - (x & 31); }

/// Without the zero limbs at both ends, of a normalised, nonnegative number.
EXACTDOT_CORE fixed_point trimmed(fixed_point number) {
  while (number.count > 0 && number.limb[number.count - 1] == 0) --number.count;
  while (number.count > 0 && number.limb[0] == 0) ++number.limb, --number.count, number.lowest_exponent += 32;
  return number;
}

/// Digit products of one column of x·y: at most 2^8 of 2^64.
EXACTDOT_CORE uint128 column_of(const fixed_point& x, const fixed_point& y, int column) {
  uint128 sum = 0;
  const int first = column - y.count + 1 < 0 ? 0 : column - y.count + 1;
  for (int i = first; i < x.count && i <= column; ++i) {
    sum += static_cast<uint128>(static_cast<std::uint64_t>(x.limb[i])) *
           static_cast<std::uint64_t>(y.limb[column - i]);
  }
  return sum;
}

/// The sign of a² − s·d, for trimmed numbers whose lowest bits are multiples of 32 apart. Column by column, so no
/// product is stored.
EXACTDOT_CORE int compare_products(const fixed_point& a, const fixed_point& s, const fixed_point& d) {
  const int of_square = 2 * a.lowest_exponent, of_product = s.lowest_exponent + d.lowest_exponent;
  const int lowest = of_square < of_product ? of_square : of_product;
  const int square_offset = (of_square - lowest) / 32, product_offset = (of_product - lowest) / 32;
  const int square_end = square_offset + 2 * a.count + 1, product_end = product_offset + s.count + d.count + 1;
  const int end = square_end > product_end ? square_end : product_end;
  uint128 square = 0, product = 0;
  int order = 0;
  for (int column = 0; column < end; ++column) {
    if (column >= square_offset) square += column_of(a, a, column - square_offset);
    if (column >= product_offset) product += column_of(s, d, column - product_offset);
    const auto x = static_cast<std::uint32_t>(square), y = static_cast<std::uint32_t>(product);
    if (x != y) order = x < y ? -1 : 1;
    square >>= 32, product >>= 32;
  }
  return order;
}

/// Elements of one row, from its exact sums.
template <class Carrier>
class exact_row {
 public:
  /// States of Σx and Σx², normalised; Σx of an RMS norm is zero. Σx may be negated. The memory is used by one
  /// thread at a time.
  EXACTDOT_CORE exact_row(std::int64_t* sum, const std::int64_t* squares, std::uint64_t n, double epsilon,
                          bool is_centred, normalisation_scratch<Carrier>& memory)
      : sum_(sum), n_(n), memory_(memory) {
    const state_layout layout = layout_of<Carrier>();
    const special_terms special = special_terms_of(layout, squares);
    is_nan_ = special.nan || (special.any() && is_centred);
    is_infinite_ = special.any();
    if (is_infinite_) return;
    sum_is_negative_ = is_negative(layout.number(sum));
    if (sum_is_negative_) negate(layout.number(sum));
    const fixed_point denominator = exact_moment_numerator(layout, sum, squares, n, memory.denominator);
    const exact_term added = decompose(epsilon);
    if (added.magnitude != 0) add<128>(denominator, added.magnitude * n * n, added.exponent, false);
    normalise(denominator);
    denominator_ = trimmed(denominator);
    is_nan_ = denominator_.count == 0;
  }

  /// Whether all elements are NaN.
  [[nodiscard]] EXACTDOT_CORE bool is_nan() const { return is_nan_; }

  /// One element as bits of a format that has an infinity. A zero is +0, as it is of a sum.
  template <class Element, class Parameter>
  EXACTDOT_CORE std::uint64_t element(number_format to, Element x, Parameter w, Parameter b) const {
    const exact_term value = decompose(x), weight = decompose(w), bias = decompose(b);
    if (is_nan_ || value.kind != kind::finite || weight.kind == kind::nan || bias.kind == kind::nan) {
      return nan_word(to);
    }
    if (is_infinite_) {
      if (weight.kind != kind::finite) return nan_word(to);
      return bias.kind != kind::finite ? infinity_word(to, bias.negative) : rounded(to, {}, false, bias);
    }
    bool is_negative = false;
    fixed_point product = difference_of(value, is_negative);
    if (weight.kind != kind::finite) {
      const bool negative = is_negative != weight.negative;
      if (product.count == 0 || (bias.kind != kind::finite && bias.negative != negative)) return nan_word(to);
      return infinity_word(to, negative);
    }
    if (bias.kind != kind::finite) return infinity_word(to, bias.negative);
    product = times(product, weight);
    return rounded(to, product, is_negative != weight.negative, bias);
  }

 private:
  /// |n·x − Σx|
  EXACTDOT_CORE fixed_point difference_of(const exact_term& x, bool& negative) const {
    const state_layout layout = layout_of<Carrier>();
    const fixed_point found{memory_.difference, layout.limbs + 2, layout.lowest_exponent};
    for (int i = 0; i < found.count; ++i) {
      found.limb[i] = i >= layout.limbs ? 0 : sum_is_negative_ ? sum_[i] : -sum_[i];
    }
    add<128>(found, x.magnitude * n_, x.exponent, x.negative);
    normalise(found);
    negative = is_negative(found);
    if (negative) negate(found);
    return trimmed(found);
  }
  /// number·|w|, whose lowest exponent is a multiple of 32
  EXACTDOT_CORE fixed_point times(const fixed_point& number, const exact_term& w) const {
    const int lowest = number.lowest_exponent + w.exponent;
    const fixed_point found{memory_.product, number.count + 4, lower_multiple_of_32(lowest)};
    for (int i = 0; i < found.count; ++i) found.limb[i] = 0;
    for (int i = 0; i < number.count; ++i) {
      add<96>(found, w.magnitude * static_cast<std::uint64_t>(number.limb[i]), lowest + 32 * i, false);
    }
    normalise(found);
    return trimmed(found);
  }
  /// ±a/√D + b
  EXACTDOT_CORE std::uint64_t rounded(number_format to, const fixed_point& a, bool a_is_negative,
                                      const exact_term& b) const {
    const bool negative = compare(a, a_is_negative, b, {0, 0}, false) < 0;
    rough_number quotient{0, 0};
    if (a.count != 0) quotient = rough_quotient(rough(a), rough(denominator_));
    if (a_is_negative) quotient.significand = -quotient.significand;
    const double bias = static_cast<double>(static_cast<std::uint64_t>(b.magnitude));
    const std::uint64_t guess = rough_sum(to, quotient, {b.negative ? -bias : bias, b.exponent});
    const std::uint64_t word = round_by_comparison(to, guess, [&](const plain_number& t) {
      return (negative ? -1 : 1) * compare(a, a_is_negative, b, t, negative);
    });
    return negative ? word | sign_bit(to, true) : word;
  }
  /// The sign of ±a/√D − (t − b).
  EXACTDOT_CORE int compare(const fixed_point& a, bool a_is_negative, const exact_term& b, const plain_number& t,
                            bool t_is_negative) const {
    const int sign_of_a = a.count == 0 ? 0 : a_is_negative ? -1 : 1;
    bool negative = false;
    const fixed_point distance = distance_of(b, t, t_is_negative, negative);
    const int sign_of_distance = distance.count == 0 ? 0 : negative ? -1 : 1;
    if (sign_of_a != sign_of_distance) return sign_of_a < sign_of_distance ? -1 : 1;
    if (sign_of_a == 0) return 0;
    const fixed_point square{memory_.square, 2 * distance.count, 2 * distance.lowest_exponent};
    uint128 carry = 0;
    for (int i = 0; i < square.count; ++i) {
      carry += column_of(distance, distance, i);
      square.limb[i] = static_cast<std::int64_t>(static_cast<std::uint32_t>(carry));
      carry >>= 32;
    }
    return sign_of_a * compare_products(a, trimmed(square), denominator_);
  }
  /// |t − b|, with bits whose squares times D lie on columns of a²
  EXACTDOT_CORE fixed_point distance_of(const exact_term& b, const plain_number& t, bool t_is_negative,
                                        bool& negative) const {
    const bool t_is_zero = t.significand == 0, b_is_zero = b.magnitude == 0;
    if (t_is_zero && b_is_zero) return {memory_.distance, 0, 0};
    const int lowest = t_is_zero ? b.exponent : b_is_zero || t.exponent < b.exponent ? t.exponent : b.exponent;
    const int highest = t_is_zero ? b.exponent : b_is_zero || t.exponent > b.exponent ? t.exponent : b.exponent;
    const int offset = layout_of<Carrier>().lowest_exponent;  // D's is twice that, and a multiple of 32 more
    const int aligned = lower_multiple_of_32(lowest + offset) - offset;
    const fixed_point found{memory_.distance, (highest - aligned) / 32 + 4, aligned};
    for (int i = 0; i < found.count; ++i) found.limb[i] = 0;
    if (!t_is_zero) add<64>(found, t.significand, t.exponent, t_is_negative);
    if (!b_is_zero) add<64>(found, b.magnitude, b.exponent, !b.negative);
    normalise(found);
    negative = is_negative(found);
    if (negative) negate(found);
    return trimmed(found);
  }

  const std::int64_t* sum_;
  std::uint64_t n_;
  normalisation_scratch<Carrier>& memory_;
  fixed_point denominator_{nullptr, 0, 0};
  bool sum_is_negative_ = false, is_nan_ = false, is_infinite_ = false;
};

}  // namespace exactdot::inline v0_3::core

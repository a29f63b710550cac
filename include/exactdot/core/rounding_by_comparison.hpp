// A real number rounded once that is known only by comparisons: its signs next to numbers of a format and half way
// between them.
//
// A rough value in doubles with exponents of their own, right or not, makes the search short: some 5 comparisons.
// For CPU and GPU; no square root of a library is called.
#pragma once

#include <exactdot/core/finish.hpp>

namespace exactdot::inline v0_3::core {

/// A number of a format that is not negative: significand · 2^exponent. The infinity stands for the power of two
/// that it would be.
struct plain_number {
  std::uint64_t significand;
  int exponent;
};
EXACTDOT_CORE plain_number number_of_word(number_format of, std::uint64_t word) {
  const std::uint64_t hidden = std::uint64_t{1} << (of.precision - 1);
  const auto field = static_cast<int>(word >> (of.precision - 1));
  const std::uint64_t fraction = word & (hidden - 1);
  if (field == 0) return {fraction, of.lowest_exponent()};
  return {fraction | hidden, of.lowest_exponent() + field - 1};
}

/// A real y >= 0 rounded once, known only by the sign of y − t for numbers t of one bit more than the format has:
/// compare(t). Some 5 comparisons if the guess is one of the numbers next to y, at most twice as many as a word has
/// bits.
template <class Compare>
EXACTDOT_CORE std::uint64_t round_by_comparison(number_format to, std::uint64_t guess, Compare&& compare) {
  const std::uint64_t infinity = infinity_word(to, false);
  std::uint64_t low = 0, high = infinity;  // low <= y; high > y, or the infinity
  const auto is_at_least = [&](std::uint64_t word) {
    const bool is = compare(number_of_word(to, word)) >= 0;
    (is ? low : high) = word;
    return is;
  };
  constexpr std::uint64_t farthest = std::uint64_t{1} << 60;
  for (std::uint64_t step = 1; step < guess && step < farthest && !is_at_least(guess - step);) step *= 4;
  for (std::uint64_t step = 1; guess + step < high && step < farthest && is_at_least(guess + step);) step *= 4;
  if (high == infinity && compare(number_of_word(to, high)) >= 0) return high;
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    is_at_least(middle);
  }
  const plain_number below = number_of_word(to, low);
  const int order = compare({2 * below.significand + 1, below.exponent - 1});
  return low + (order > 0 || (order == 0 && (low & 1) != 0) ? 1 : 0);
}

/// significand · 2^exponent, about.
struct rough_number {
  double significand;
  int exponent;
};
EXACTDOT_CORE rough_number rough(const fixed_point& number) {
  double significand = 0;
  const int count = number.count < 3 ? number.count : 3;
  for (int i = 1; i <= count; ++i)
    significand = significand * 0x1p32 + static_cast<double>(number.limb[number.count - i]);
  return {significand, number.lowest_exponent + 32 * (number.count - count)};
}
/// x/√d, of d > 0.
EXACTDOT_CORE rough_number rough_quotient(rough_number x, rough_number d) {
  while (d.significand >= 4) d.significand *= 0.25, d.exponent += 2;
  if ((d.exponent & 1) != 0) d.significand *= 0.5, ++d.exponent;  // in [1/2, 4)
  double inverse = 1.3 - 0.22 * d.significand;
  for (int i = 0; i < 6; ++i) inverse *= 1.5 - 0.5 * d.significand * inverse * inverse;
  return {x.significand * inverse, x.exponent - d.exponent / 2};
}
EXACTDOT_CORE double scaled_by_power(double x, int exponent) {
  if (exponent < -1000) return 0;
  return x * bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}
/// |x + y| rounded to a format, about.
EXACTDOT_CORE std::uint64_t rough_sum(number_format to, rough_number x, rough_number y) {
  const bool x_leads = y.significand == 0 || (x.significand != 0 && x.exponent >= y.exponent);
  const int exponent = x_leads ? x.exponent : y.exponent;
  const double sum = x_leads ? x.significand + scaled_by_power(y.significand, y.exponent - exponent)
                             : y.significand + scaled_by_power(x.significand, x.exponent - exponent);
  return round_finite(to, sum < 0 ? -sum : sum, exponent);
}

}  // namespace exactdot::inline v0_3::core

// What a compensated sum with its bound (cpu/column_sums.hpp) decides of a result: of columns, short rows and
// groups.
#pragma once

#include <bit>
#include <cmath>
#include <cpu/column_sums.hpp>
#include <cpu/levels.hpp>

namespace exactdot::inline v0_3::cpu_engine {

/// A double whose rounding is that of head + tail, which is the sum: itself, or rounded to odd. Sums of few terms
/// often lie half way between two results, where a bound, however small, decides nothing.
inline double before_rounding(const bounded_sum& column, bool to_double) noexcept {
  const auto [head, tail] = core::two_sum(column.head, column.tail);
  return to_double || tail == 0 ? head : core::to_odd(head, tail);
}

/// The mean of n terms rounded to R, where a first look decides it: half of the time of core::decide_exact_mean.
///
/// Let q be head/n rounded. The mean lacks of q what head - q·n, which is exact, and tail are over n, off by
/// bound/n. A mean rounded to float needs only their size: |head/n - q| <= 2^-53·|q|. Rounding is monotonic: if
/// both ends of what is possible have one rounding, so has the mean. 1.0625, 2^-51 and 2^-50 hold the roundings of
/// the ends as well.
template <class R>
core::decision mean_at_first_look(std::size_t n, const bounded_sum& column) noexcept {
  const double head = column.head, count = static_cast<double>(n);
  if (!(std::abs(head) > 0x1p-900 && std::abs(head) < 0x1p900 && n <= std::size_t{1} << 50)) return {};
  const double q = head / count, off = column.bound / count * 1.0625;
  if (column.bound == 0 && column.tail == 0 && std::has_single_bit(n))
    return {core::to_word(static_cast<R>(q)), true};
  R low, high;
  if constexpr (sizeof(R) < sizeof(double)) {
    const double error = 0x1p-51 * std::abs(q) + (std::abs(column.tail) / count * 1.0625 + off);
    low = static_cast<R>(q - error), high = static_cast<R>(q + error);
  } else {
    const double tail = (std::fma(-q, count, head) + column.tail) / count, error = off + 0x1p-50 * std::abs(tail);
    low = q + (tail - error), high = q + (tail + error);
  }
  return {core::to_word(low), core::to_word(low) == core::to_word(high)};
}

/// The result of a column of n terms, if it is certain.
inline core::decision decide_column(const core::result_rule& rule, std::size_t n,
                                    const bounded_sum& column) noexcept {
  if (column.bound == 0 && rule.finish() == core::finish::round && !rule.is_integer()) {
    return {core::converted_word(rule, before_rounding(column, rule.gives<double>())), true};
  }
  core::decision found{};
  if (rule.finish() == core::finish::quotient && column.exponent == 0) {
    if (rule.gives<float>()) found = mean_at_first_look<float>(n, column);
    if (rule.gives<double>()) found = mean_at_first_look<double>(n, column);
    if (found.certain) return found;
  }
  if (column.bound == 0 && rule.finish() == core::finish::quotient && !rule.is_integer()) {
    found = core::decide_exact<arithmetic>(rule, n, column.head, column.tail);
    if (found.certain) return found;
  }
  found.certain = finish_if_certain(rule, n, column, found.word);
  return found;
}

/// The same for a column whose result is its sum rounded to R.
template <class R>
core::decision decide_rounded(const bounded_sum& column) noexcept {
  if (column.bound != 0) return core::decide_rounding<R>({column.head, column.tail, column.bound});
  return {core::to_word(static_cast<R>(before_rounding(column, sizeof(R) == sizeof(double)))), true};
}

/// The same for compensated sums of `width` columns of n terms.
template <class R>
void decide_columns(const column_sums& of, std::size_t n, std::size_t width, bool has_two_part_terms,
                    core::decision* found) noexcept {
  for (std::size_t i = 0; i < width; ++i) {
    found[i] = decide_rounded<R>(
        bounded_column(of.sum[i], of.error[i], of.magnitude[i], of.smallest[i], n, has_two_part_terms));
  }
}

}  // namespace exactdot::inline v0_3::cpu_engine

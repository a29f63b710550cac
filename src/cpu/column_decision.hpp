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

/// The result of a column of n terms, if it is certain.
inline core::decision decide_column(const core::result_rule& rule, std::size_t n,
                                    const bounded_sum& column) noexcept {
  if (column.bound == 0 && rule.finish() == core::finish::round && !rule.is_integer()) {
    return {core::converted_word(rule, before_rounding(column, rule.gives<double>())), true};
  }
  core::decision found{};
  if (column.bound == 0 && rule.finish() == core::finish::quotient && !rule.is_integer()) {
    found = decide_exact(rule, n, column.head, column.tail);
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

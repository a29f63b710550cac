// Bounded sums of many results, array by array: what kernels of level 1 find, and what cpu/decisions-inl.h decides.
#pragma once

#include <cpu/bounded_sum.hpp>
#include <exactdot/core/finish.hpp>

namespace exactdot::inline v0_3::cpu_engine {

/// Per result |head + tail - sum| <= bound; nothing is known where the bound is infinite or NaN. Whole registers
/// are loaded and stored: there is room for a multiple of `padding` results.
struct sum_bounds {
  static constexpr std::size_t padding = 8;
  double *head, *tail, *bound;

  [[nodiscard]] sum_bounds from(std::size_t i) const { return {head + i, tail + i, bound + i}; }
  [[nodiscard]] bounded_sum at(std::size_t i) const {
    return {.head = head[i], .tail = tail[i], .bound = bound[i]};
  }
  void set(std::size_t i, const bounded_sum& sum) const {
    head[i] = sum.head, tail[i] = sum.tail, bound[i] = sum.bound;
  }
};

/// What is made of sums of n terms: the quotient by `divisor` or its root, rounded by a rule. Of variances the sums
/// are the numerators of instruction_set::bound_numerators.
struct asked_results {
  core::result_rule rule;
  double divisor = 1;  ///< an integer; 0 where none is exact, and nothing is decided

  asked_results(const core::result_rule& by, std::size_t n, std::size_t ddof = 0) : rule(by) {
    constexpr std::size_t largest = std::size_t{1} << 50;
    if (!core::finish_counts_elements(by.finish())) return;
    std::size_t whole = n;
    const bool overflows =
        core::has_second_sum(by.finish()) && (ddof >= n || __builtin_mul_overflow(n, n - ddof, &whole));
    divisor = overflows || whole > largest ? 0 : static_cast<double>(whole);
  }
};

}  // namespace exactdot::inline v0_3::cpu_engine

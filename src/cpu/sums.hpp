// The sums that a reduction is made of: of its term and, for variances, of squares.
#pragma once

#include <cpu/levels.hpp>
#include <exactdot/core/moment_decision.hpp>

namespace exactdot::inline v0_3::cpu_engine {

/// The kernels of a plan's sums, whose states follow each other.
struct sums {
  const kernels* term;
  const kernels* squares;  // or null
  core::state_layout layout;
  element_type carrier;

  explicit sums(const engine::plan& plan)
      : term(&current_kernels(plan.carrier, plan.term)),
        squares(plan.info().sums == 2 ? &current_kernels(plan.carrier, plan.term_of(1)) : nullptr),
        layout(plan.layout()),
        carrier(plan.carrier) {}

  [[nodiscard]] int states() const { return squares == nullptr ? 1 : 2; }
  [[nodiscard]] std::size_t words() const { return static_cast<std::size_t>(states() * layout.words()); }
};

/// Of the elements and of their squares.
struct bounded_moments {
  bounded_sum sum, squares;
};

inline void add(bounded_moments& sum, const bounded_moments& other) {
  add(sum.sum, other.sum);
  add(sum.squares, other.squares);
}

inline core::enclosure enclosure_of(const bounded_sum& sum) {
  const auto scaled = [&](double x) { return std::ldexp(x, sum.exponent); };
  return {scaled(sum.head), scaled(sum.tail), scaled(sum.bound) + (sum.exponent == 0 ? 0 : 0x1p-1000)};
}

/// What bounded sums of n elements decide of a variance, or of its root. That of one finite element is 0, which no
/// bound tells.
inline core::decision decide_moments(const engine::plan& plan, std::size_t n, const bounded_moments& found) {
  if (n == 1 && plan.ddof == 0 && std::abs(found.sum.head) < HUGE_VAL) return {0, true};
  return core::decide_moments<arithmetic>(plan.result, static_cast<double>(n), static_cast<double>(plan.ddof),
                                          enclosure_of(found.sum), enclosure_of(found.squares));
}

}  // namespace exactdot::inline v0_3::cpu_engine

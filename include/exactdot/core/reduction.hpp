// Reductions: each names a term and a finish. The terms that are compiled are those that reductions name.
#pragma once

#include <exactdot/core/finish.hpp>
#include <exactdot/reduction.hpp>

namespace exactdot::inline v0_3::core {

/// A sum of terms, and how it becomes a result.
template <class Term, finish result>
struct reduce {
  using term = Term;
  static constexpr core::finish finish = result;
};

/// A reduction without a sum: the least or greatest element, or its index (core/extremum.hpp).
struct extremum {};

/// In the order of the enumerators of `reduction`.
using reductions = std::tuple<             //
    reduce<product, finish::round>,        // dot
    reduce<value, finish::round>,          // sum
    reduce<magnitude, finish::round>,      // asum
    reduce<square, finish::round>,         // sum_of_squares
    reduce<square, finish::root>,          // nrm2
    reduce<value, finish::quotient>,       // mean
    reduce<value, finish::variance>,       // variance: of the sums of values and of squares
    reduce<value, finish::deviation>,      // stddev
    extremum, extremum,                    // min, max
    extremum, extremum>;                   // argmin, argmax

namespace terms {
template <class Term, class Terms>
struct append;
template <class Term, class... Terms>
struct append<Term, std::tuple<Terms...>> {
  static constexpr bool is_known = (std::is_same_v<Term, Terms> || ...);
  using type = std::conditional_t<is_known, std::tuple<Terms...>, std::tuple<Terms..., Term>>;
};
template <class Found, class Reductions>
struct collect {
  using type = Found;
};
template <class Found, class... Rest>
struct collect<Found, std::tuple<extremum, Rest...>> : collect<Found, std::tuple<Rest...>> {};
template <class Found, class First, class... Rest>
struct collect<Found, std::tuple<First, Rest...>>
    : collect<typename append<typename First::term, Found>::type, std::tuple<Rest...>> {};
}  // namespace terms

/// The terms of all reductions, each once; kernels are compiled for every element type and each of these.
using term_types = terms::collect<std::tuple<>, reductions>::type;
template <class Term>
inline constexpr std::size_t term_index = detail::index_in<Term, term_types>;

/// A reduction at run time.
struct reduction_info {
  std::size_t term = 0;  ///< its index in term_types
  int inputs = 1;
  core::finish finish = finish::round;
  bool is_extremum = false;

  /// Whether the sum of squares is needed beside the sum of the term.
  [[nodiscard]] constexpr bool needs_squares() const {
    return finish == finish::variance || finish == finish::deviation;
  }
};

namespace terms {
template <class Reduction>
constexpr reduction_info describe(Reduction) {
  return {term_index<typename Reduction::term>, Reduction::term::inputs, Reduction::finish, false};
}
constexpr reduction_info describe(extremum) { return {.is_extremum = true}; }
template <class... Reductions>
constexpr std::array<reduction_info, sizeof...(Reductions)> describe(std::tuple<Reductions...>) {
  return {describe(Reductions())...};
}
}  // namespace terms

inline constexpr auto reduction_table = terms::describe(reductions());

constexpr const reduction_info& info_of(reduction what) { return reduction_table[static_cast<std::size_t>(what)]; }

}  // namespace exactdot::inline v0_3::core

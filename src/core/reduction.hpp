// Reductions: each names a term and a finish. The terms that are compiled are those that reductions name.
#pragma once

#include <core/finish.hpp>
#include <exactdot/reduction.hpp>

namespace exactdot::core {

template <class Term, finish result>
struct reduce {
  using term = Term;
  static constexpr core::finish finish = result;
};

/// In the order of the enumerators of `reduction`.
using reductions = std::tuple<  //
    reduce<product, finish::round>>;

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
  std::size_t term;  ///< its index in term_types
  int inputs;
  core::finish finish;
};

namespace terms {
template <class... Reductions>
constexpr std::array<reduction_info, sizeof...(Reductions)> describe(std::tuple<Reductions...>) {
  return {reduction_info{term_index<typename Reductions::term>, Reductions::term::inputs, Reductions::finish}...};
}
}  // namespace terms

inline constexpr auto reduction_table = terms::describe(reductions());

constexpr const reduction_info& info_of(reduction what) { return reduction_table[static_cast<std::size_t>(what)]; }

}  // namespace exactdot::core

// Terms: how the elements of the inputs become the exact addends of a sum.
//
// A term is described by constants, not programmed, so that every engine can build its loop from the description:
//   inputs    vectors that it reads
//   factors   1: an addend is one number; 2: a product of two (of a and b, or of a and a with one input)
//   absolute  each factor is replaced by its absolute value
// An addend is exact: as a double (carrier float), or as a value and an error (products of doubles). Loops multiply
// one-factor addends by 1: that is exact, and loads decide the time.
#pragma once

#include <exactdot/core/carrier.hpp>
#include <exactdot/core/decompose.hpp>
#include <tuple>

namespace exactdot::inline v0_3::core {

/// aᵢ·bᵢ
struct product {
  static constexpr int inputs = 2, factors = 2;
  static constexpr bool absolute = false;
};

/// aᵢ
struct value {
  static constexpr int inputs = 1, factors = 1;
  static constexpr bool absolute = false;
};

/// |aᵢ|
struct magnitude {
  static constexpr int inputs = 1, factors = 1;
  static constexpr bool absolute = true;
};

/// aᵢ²
struct square {
  static constexpr int inputs = 1, factors = 2;
  static constexpr bool absolute = false;
};

/// A term at run time: what its struct says. Engines that read the term at run time ask this and nothing else.
struct term_info {
  int inputs = 1, factors = 1;
  bool absolute = false;
  friend EXACTDOT_CORE bool operator==(const term_info&, const term_info&) = default;
};
template <class Term>
EXACTDOT_CORE term_info describe_term() {
  return {Term::inputs, Term::factors, Term::absolute};
}

/// Streams of doubles that the addends make: a product of doubles has a value and an error.
template <class Term, class Carrier>
inline constexpr int streams_of = Term::factors == 2 && !carrier<Carrier>::product_fits_double ? 2 : 1;

/// The addend of one element of each input, in integers. `term`: its struct, or its description at run time. `b` is
/// ignored if the term has one input.
template <class Term, class Carrier>
EXACTDOT_CORE exact_term exact_addend(const Term& term, Carrier a, Carrier b) {
  exact_term x = decompose(a);
  exact_term y = term.inputs == 2 ? decompose(b) : x;
  if (term.absolute) x.negative = y.negative = false;
  return term.factors == 1 ? x : multiply(x, y);
}
template <class Term, class Carrier>
EXACTDOT_CORE exact_term exact_addend(Carrier a, Carrier b) {
  return exact_addend(Term{}, a, b);
}

}  // namespace exactdot::inline v0_3::core

// Python numbers and exact states: numbers as states, sums as ratios of integers, quotients, comparisons.
//
// A number is an int, a float, or whatever has __index__, as_integer_ratio or, without dimensions, item: NumPy's
// scalars, Fraction, Decimal. Its value is taken exactly or refused. All functions are called with the GIL held.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <run/exact_state.hpp>

namespace exactdot::python {

namespace nb = nanobind;
using engine::exact_state;

/// The sum that an operand of an operator stands for: that of an Accumulator, or a number in a state of `type`.
/// Nothing for any other object. Throws ValueError for a number with bits that the state has not, OverflowError for
/// one beyond its headroom.
std::optional<exact_state> read_operand(nb::handle given, element_type type, const char* caller);

/// The finite sum as a pair of ints in lowest terms, the second positive. Throws as float.as_integer_ratio.
nb::tuple integer_ratio(const exact_state& sum);

/// The integer part of the sum, as int(float). Throws as that.
nb::object integer_part(const exact_state& sum);

/// The order of a sum and an operand; nothing if it is neither Accumulator nor number. No number is too large or
/// too fine for it.
std::optional<std::partial_ordering> compare_with(const exact_state& sum, nb::handle given);

/// The sum over an operand, or the operand over the sum, rounded once to a floating-point type; nothing if it is
/// neither Accumulator nor number. Throws ZeroDivisionError.
std::optional<any_scalar> quotient(const exact_state& sum, nb::handle given, bool reflected, element_type type,
                                   const char* caller);

/// NaN, an infinity, or if the sum is finite its sign: -1, 0 or 1.
double special_or_sign(const exact_state& sum);

/// The type of the sum of sums of these types: that of the two which holds both; of two with one state float32, or
/// the wider integer, signed if one of them is.
element_type type_of_sum(element_type a, element_type b);

/// The state of an Accumulator; null for any other object. Throws TypeError for one that was never initialised.
const exact_state* accumulator_of(nb::handle given);

}  // namespace exactdot::python

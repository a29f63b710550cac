// The Python classes Accumulator and Moments: one class for all element types, so annotations, pickles and
// isinstance need one name.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <python/src/state_class.hpp>
#include <python/src/vectors.hpp>

namespace exactdot::python {

using accumulator_class = nanobind::class_<exact_state>;

void bind_accumulator(nanobind::module_& module);
void bind_operators(accumulator_class& bound);
void bind_moments(nanobind::module_& module);
void bind_bivariate_moments(nanobind::module_& module);

/// The keyword arguments of an addition.
struct addition_options {
  options chosen;
  nb::handle stream;
};
addition_options read_addition(std::int64_t threads, nb::handle device, nb::handle stream, const char* caller);

/// Throws TypeError unless the state holds all sums of elements of this type (detail::state_holds).
void require_state(const exact_state& state, element_type other);

/// Locates the vectors of an addition to a state of this type, on the host or on a GPU, and checks them: the state
/// holds what they hold. Returns the stream, for vectors on a GPU.
stream_choice prepare_terms(vectors& inputs, element_type type, const addition_options& given);

/// The exact state of the terms of dot, sum or sum_of_squares of prepared vectors, of their type. The state that it
/// is merged into changes only then, with the GIL held: threads may share it, and a call that throws adds nothing.
exact_state terms_of(const vectors& inputs, reduction what, const addition_options& given,
                     const stream_choice& stream);

/// A floating-point type that was passed, or if it is None the default.
element_type read_floating_dtype(nb::handle given, element_type default_type, const char* caller);

}  // namespace exactdot::python

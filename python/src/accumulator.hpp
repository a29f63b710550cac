// The Python classes Accumulator and Moments: one class for all element types, so annotations, pickles and
// isinstance need one name.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <python/src/exact_state.hpp>
#include <python/src/vectors.hpp>
#include <span>
#include <vector>

namespace exactdot::python {

void bind_accumulator(nanobind::module_& module);
void bind_moments(nanobind::module_& module);

/// The keyword arguments of an addition.
struct addition_options {
  options chosen;
  nb::handle stream;
};
addition_options read_addition(std::int64_t threads, nb::handle device, nb::handle stream, const char* caller);

/// Locates the vectors of an addition to a state of this type, on the host or on a GPU, and checks them. Returns
/// the stream, for vectors on a GPU.
stream_choice prepare_terms(vectors& inputs, element_type type, const addition_options& given);

/// The exact state of the terms of dot, sum or sum_of_squares of prepared vectors. The state that it is merged into
/// changes only then, with the GIL held: threads may share it, and a call that throws adds nothing.
exact_state terms_of(const vectors& inputs, reduction what, const addition_options& given,
                     const stream_choice& stream);

/// A new NumPy array of these words.
nb::object array_of_words(std::span<const std::int64_t> words);

/// The words in an array of integers, or anything that NumPy makes one of. Throws TypeError for others.
std::vector<std::int64_t> read_words(nb::handle given, const char* caller);

/// The type whose states have `given` words, `count(type)` each: `dtype`, or if that is None float32 or float64.
/// Throws ValueError if none has.
element_type type_of_words(nb::handle dtype, std::size_t given, const char* caller,
                           std::size_t (*count)(element_type));

/// A floating-point type that was passed, or if it is None the default.
element_type read_floating_dtype(nb::handle given, element_type default_type, const char* caller);

}  // namespace exactdot::python

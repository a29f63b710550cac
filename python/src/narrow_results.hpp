// Results of sums, counts and indices as integers of 8 to 32 bits: computed in 64 bits and checked, never wrapped.
#pragma once

#include <exactdot/reductions.hpp>
#include <functional>
#include <python/src/grid_reduce.hpp>
#include <python/src/reduction_call.hpp>

namespace exactdot::python {

/// Whether results of this type, that of dtype or out, are such integers.
[[nodiscard]] inline bool is_narrowed(const reduction_call& call, element_type type) {
  return is_integer(type) && size_of(type) < 8 && !call.adds && !gives_element(call.typed) &&
         is_integer(default_type(call));
}

/// Throws ValueError for an `out` of booleans, which are no narrow integers.
void refuse_booleans(const reduction_call& call, const imported_array& out);

/// A result of 64 bits in a narrow type. Throws errc::overflow, which names the value and what the type holds.
[[nodiscard]] any_scalar narrowed(const reduction_call& call, const any_scalar& value, element_type type);

/// The results of a call on host memory in a narrow type: a new array, `target`, which is `out` if that was passed,
/// or a number. compute(call, results): those of 64 bits, in a new array. Throws as narrowed.
nb::object narrowed_results(const reduction_call& call, element_type type, const result_array& target,
                            bool keepdims,
                            const std::function<nb::object(const reduction_call&, result_array&)>& compute);

}  // namespace exactdot::python

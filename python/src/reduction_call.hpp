// A call of a function of reduction_table.hpp whose arguments have been read, and what its results are.
#pragma once

#include <python/src/arguments.hpp>
#include <python/src/given_filter.hpp>
#include <python/src/reduction_table.hpp>
#include <python/src/vectors.hpp>

namespace exactdot::python {

/// The arguments of a call after the vectors, converted; the rest as they were passed.
struct reduction_call {
  const reduction_function& function;
  vectors& inputs;
  reduction what;
  reduction typed = function.what;  // whose result type is the default
  options chosen{};
  ddof_value ddof = {};
  bool negative_zero = false;
  bool as_array = false;  // out=...: one result is an array, too
  bool adds = false;      // `out` is the argument add_to
  const call_filter* filter = nullptr;
  nb::handle dtype{}, out{}, stream{};
  given_filter* filter_of = nullptr;  // what `filter` belongs to
};

/// Whether a variance, or its root, is about a mean that was passed.
[[nodiscard]] inline bool is_about_mean(reduction what) {
  return what == reduction::variance_about || what == reduction::stddev_about;
}

/// The result type unless dtype or out names one.
[[nodiscard]] element_type default_type(const reduction_call& call);

/// The types of results, for messages.
[[nodiscard]] const char* result_choices(const reduction_call& call);

/// The argument dtype, otherwise the default.
[[nodiscard]] element_type result_type(const reduction_call& call);

/// -0.0 of this type.
inline any_scalar negative_zero_of(element_type type) { return {type, std::uint64_t{1} << (8 * size_of(type) - 1)}; }

/// `result`, or -0.0 if it is the +0 of a sum of negative zeros only. `extremum` computes min and max of the
/// vector, whose elements are of this type.
template <class Extremum>
any_scalar with_sign_of_zero(const reduction_call& call, element_type type, any_scalar result, const Extremum& extremum) {
  if (!call.negative_zero || result.bits != 0 || is_integer(result.type) || is_integer(type)) return result;
  const std::uint64_t sign = negative_zero_of(type).bits;
  const bool only_negative_zeros =
      call.inputs.first.n == 0 || (extremum(reduction::max).bits == sign && extremum(reduction::min).bits == sign);
  return only_negative_zeros ? negative_zero_of(result.type) : result;
}

/// What exactdot/_exact.py and _deviations.py compute: reductions of numbers that no element type holds, variances
/// with a fractional ddof.
nb::object compute_in_python(const reduction_call& call, const call_arguments& given);

/// What exactdot/_norms.py computes: norms of the orders 0, infinity and minus infinity.
nb::object norm_in_python(const reduction_call& call, const call_arguments& given);

}  // namespace exactdot::python

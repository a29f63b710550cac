// All functions of reduction_table.hpp: one function that computes any of them; reduction_functions.cpp calls it.
//
// A call with two short NumPy arrays, the most frequent one, consists of two buffer requests, the dot product and a
// Python float. Each further step runs only if an argument asks for it.
#include <cmath>
#include <exactdot/reductions.hpp>
#include <optional>
#include <python/src/arguments.hpp>
#include <python/src/column_keys.hpp>
#include <python/src/complex_calls.hpp>
#include <python/src/extremes.hpp>
#include <python/src/gil.hpp>
#include <python/src/given_filter.hpp>
#include <python/src/gpu_reduce.hpp>
#include <python/src/grid_reduce.hpp>
#include <python/src/group_reduce.hpp>
#include <python/src/host_call.hpp>
#include <python/src/list_reduce.hpp>
#include <python/src/narrow_results.hpp>
#include <python/src/normalise.hpp>
#include <python/src/number.hpp>
#include <python/src/output.hpp>
#include <python/src/reduction_call.hpp>
#include <python/src/reductions.hpp>
#include <string_view>

namespace exactdot::python {
namespace {

/// A reduction of the vectors in host memory, rounded to `result`.
any_scalar host_reduce(const reduction_call& call, reduction what, element_type result) {
  const imported_array& a = call.inputs.first;
  const imported_array* const b = call.inputs.other();
  any_scalar value;
  compute(a, b, call.chosen, [&](const options& chosen) {
    value =
        b != nullptr
            ? any_scalar{result, detail::reduce_to_bits(what, a.view(), b->view(), result, chosen, call.ddof.whole)}
            : reduce(what, a.view(), result, chosen, call.ddof.whole);
  });
  return value;
}

nb::object call_on_host(const reduction_call& call) {
  call.inputs.refuse_stream(call.stream);
  call.inputs.check();
  if (call.inputs.have_complex()) [[unlikely]] return call_on_complex(call);
  const auto reduce_to = [&](element_type result) {
    return with_sign_of_zero(call, call.inputs.first.type, host_reduce(call, call.what, result), [&](reduction extremum) {
      return host_reduce(call, extremum, call.inputs.first.type);
    });
  };
  const auto reduced = [&](element_type type) {
    return is_narrowed(call, type) ? narrowed(call, reduce_to(default_type(call)), type) : reduce_to(type);
  };
  if (call.out.is_none()) return to_python(reduced(result_type(call)));
  imported_array out;
  locate_out(call.out, call.inputs, out);
  check_out(call.dtype, call.inputs, out);
  if (is_narrowed(call, out.type)) refuse_booleans(call, out);
  store(reduced(out.type), out);
  return nb::borrow(call.out);
}

nb::object call_on_gpu(const reduction_call& call, const imported_array& out, const stream_choice& stream) {
  call.inputs.check();
  gpu_reduction asked{call.what, call.inputs.first, call.inputs.other(), call.chosen.mode, call.ddof.whole};
  if (call.out.is_none()) {
    const any_scalar value = gpu_reduce(asked, result_type(call), stream);
    return to_python(with_sign_of_zero(call, call.inputs.first.type, value, [&](reduction extremum) {
      asked.what = extremum;
      return gpu_reduce(asked, call.inputs.first.type, stream);
    }));
  }
  if (call.negative_zero) {
    throw_python(false, std::string(call.inputs.caller()) +
                            ": negative_zero needs the result on the host; omit out, or negative_zero");
  }
  check_out(call.dtype, call.inputs, out);
  gpu_reduce_to(asked, out, stream);
  return nb::borrow(call.out);
}

/// Whether the variables of a matrix are its rows. Throws for arguments of two arrays.
bool takes_rows(const call_arguments& given, const char* caller) {
  for (const unsigned other : {axis_parameter, keepdims_parameter, where_parameter, skip_nan_parameter}) {
    PyObject* const value = given.keywords[other];
    if (value == nullptr || value == Py_None || value == Py_False) continue;
    throw_python(false, std::string(caller) + ": " + name_of_parameter(other) +
                            " is for two arrays; pass y, or rowvar for the matrix of x");
  }
  PyObject* const rows = given.keywords[rowvar_parameter];
  return rows == nullptr || read_bool(rows, "rowvar", caller);
}

/// A reduction over axes, segments or groups. `stream`: of arrays in GPU memory, otherwise null.
nb::object call_on_axes(const reduction_call& call, const call_arguments& given, result_array& results,
                        const stream_choice* stream) {
  if (call.negative_zero)
    call.inputs.refuse(false,
                       "negative_zero is for all of one vector; omit axis, keepdims, where, skip_nan and out=...");
  const grid_call over_axes{call.inputs.caller(),
                            call.what,
                            call.inputs,
                            call.chosen,
                            call.ddof.whole,
                            keyword(given, axis_parameter, Py_None),
                            call.dtype,
                            call.out,
                            is_true(given, keepdims_parameter, call.inputs.caller()),
                            default_type(call),
                            results,
                            stream,
                            call.as_array,
                            call.dtype.is_none() ? nullptr : result_choices(call),
                            call.adds,
                            call.filter};
  const auto of_groups = [&] {
    PyObject* const* const after = given.inputs + call.function.signature.inputs;
    return group_arguments{after[0], after[1], is_true(given, skip_parameter, call.inputs.caller())};
  };
  switch (call.function.takes) {
    case shapes::vectors:
    case shapes::flattened:
      call.inputs.check();
      return reduce_pairs(over_axes);
    case shapes::ratios:
      if (!call.inputs.are_two()) return reduce_matrix(over_axes, takes_rows(given, call.inputs.caller()));
      return reduce_pairs(over_axes);
    case shapes::pairs:
      return reduce_pairs(over_axes);
    case shapes::matrix_vector:
      return reduce_matrix_vector(over_axes);
    case shapes::segments:
      return reduce_segments(over_axes, given.inputs[call.function.signature.inputs]);
    case shapes::groups:
      return reduce_groups(over_axes, of_groups());
    case shapes::group_sizes:
      return count_groups(over_axes, of_groups());
    default:
      return reduce_axes(over_axes);
  }
}

/// Whether the call is that of vectors, once the first input is imported: its result is one number.
bool is_vector_call(const reduction_call& call, const call_arguments& given) {
  if (call.filter != nullptr) return false;
  const bool are_pairs = call.function.takes == shapes::ratios ||
                         (call.function.takes == shapes::pairs && call.inputs.have_complex());
  if (call.function.takes != shapes::axes && !are_pairs)
    return (call.function.takes == shapes::vectors || call.function.takes == shapes::flattened) && !call.as_array;
  if (are_pairs && (!call.inputs.are_two() || call.inputs.second.dimensions != 1)) return false;
  return (call.inputs.first.dimensions == 1 || (call.inputs.first.dimensions == 0 && !are_pairs)) &&
         !is_given(given, axis_parameter) && !call.as_array &&
         !is_true(given, keepdims_parameter, call.inputs.caller());
}

/// Locates `out` if it was passed.
void locate_results(const reduction_call& call, result_array& results) {
  results.imported.takes_any_shape = true;
  if (call.out.is_none()) return;
  if (call.inputs.have_complex() && !call.inputs.on_gpu()) {
    locate_complex_out(call, results.imported);
  } else {
    locate_out(call.out, call.inputs, results.imported, call.adds ? "add_to" : "out");
  }
  results.object = nb::borrow(call.out);
}

nb::object reduce_on_gpu(const reduction_call& call, const call_arguments& given) {
  result_array results;
  locate_results(call, results);
  imported_array* const out = call.out.is_none() ? nullptr : &results.imported;
  const stream_choice stream = call.inputs.import_on_gpu(out, call.chosen, call.stream);
  if (is_vector_call(call, given)) return call_on_gpu(call, results.imported, stream);
  return call_on_axes(call, given, results, &stream);
}

nb::object reduce_on_host(const reduction_call& call, const call_arguments& given) {
  if (is_vector_call(call, given)) return call_on_host(call);
  call.inputs.refuse_stream(call.stream);
  result_array results;
  locate_results(call, results);
  if (!call.dtype.is_none() || !call.out.is_none()) {
    const element_type type = call.out.is_none() ? result_type(call) : results.imported.type;
    if (is_narrowed(call, type)) {
      return narrowed_results(
          call, type, results, is_true(given, keepdims_parameter, call.inputs.caller()),
          [&](const reduction_call& wide, result_array& to) { return call_on_axes(wide, given, to, nullptr); });
    }
  }
  return call_on_axes(call, given, results, nullptr);
}

/// The reduction that the order of a norm names: 2 (the default) or 1; nothing for 0 and the infinities. Throws
/// ValueError for others.
std::optional<reduction> norm_of_order(const call_arguments& given, reduction otherwise, const char* caller) {
  const nb::handle order = keyword(given, ord_parameter, Py_None);
  if (order.is_none()) return otherwise;
  const bool is_text = PyUnicode_Check(order.ptr()) != 0;
  const double value = is_text ? -1 : PyFloat_AsDouble(order.ptr());
  if (value == -1 && PyErr_Occurred() != nullptr) PyErr_Clear();
  if (value == 2) return reduction::nrm2;
  if (value == 1) return reduction::asum;
  if (value == 0 || std::isinf(value)) return std::nullopt;
  throw_python(false, std::string(caller) + ": ord is " + text_of(order) + "; use 2, 1, 0, inf or -inf");
}

/// mode, threads and device.
options read_placement(const call_arguments& given, const char* caller) {
  static const nb::str* const exact = new nb::str("exact");
  static const nb::str* const automatic = new nb::str("auto");
  PyObject* const threads = given.keywords[threads_parameter];
  const bool are_defaults = threads == nullptr && given.keywords[mode_parameter] == nullptr &&
                            given.keywords[device_parameter] == nullptr;
  if (are_defaults) return {};
  return read_options(keyword(given, mode_parameter, *exact),
                      threads != nullptr ? read_integer(threads, "threads", caller) : 0,
                      keyword(given, device_parameter, *automatic), caller);
}

/// Results are added to an array, which is then what `out` is otherwise.
void take_add_to(const call_arguments& given, bool is_exact, reduction_call& call) {
  const std::string caller = call.inputs.caller();
  if (is_exact) throw_python(true, caller + ": add_to is for elements of float and integer types, not for objects");
  if (is_given(given, out_parameter)) {
    throw_python(true, caller + ": out and add_to; add_to alone is the array that the results go to");
  }
  call.out = keyword(given, add_to_parameter, Py_None), call.adds = true;
}

/// A reduction: converts the arguments, then computes on the device that holds the vectors. Nothing for complex
/// elements in GPU memory.
[[gnu::always_inline]] inline nb::object compute_with(const reduction_function& function,
                                                      const call_arguments& given, vectors& inputs,
                                                      given_filter* filter, bool about_mean = false) {
  const char* const caller = function.signature.name;
  inputs.first.takes_any_shape = inputs.second.takes_any_shape = function.takes != shapes::vectors &&
                                                                 function.takes != shapes::segments &&
                                                                 function.takes != shapes::group_sizes;
  const bool is_ratio = core::info_of(function.what).is_ratio;
  const bool has_filter = filter != nullptr && filter->is_given();
  inputs.first.takes_exact_numbers = inputs.second.takes_exact_numbers =
      function.takes != shapes::group_sizes && !is_ratio && !has_filter;
  inputs.mixes_types = is_ratio;
  inputs.first.takes_nulls = inputs.second.takes_nulls = has_filter && filter->skips_nan();
  inputs.locate();
  if (inputs.have_complex()) [[unlikely]] {
    if (inputs.on_gpu()) return {};
    prepare_complex(function, given, inputs);
  }
  reduction_call call{.function = function, .inputs = inputs, .what = function.what};
  call.chosen = read_placement(given, caller);
  if (about_mean) inputs.broadcast_second();
  if (is_ratio && inputs.on_gpu())
    inputs.refuse(false, "arrays in GPU memory have no ratios; copy them to the host");
  const bool is_variance =
      function.what == reduction::variance || function.what == reduction::stddev || is_about_mean(function.what);
  if (is_variance && call.chosen.mode == mode::fast) {
    throw_python(false, std::string(caller) + ": mode \"fast\" has no variance; use \"exact\"");
  }
  if (has_ddof(function.what)) {
    call.ddof = read_ddof(given.keywords[ddof_parameter], given.keywords[correction_parameter], caller,
                          default_ddof(function.what));
    if (is_ratio && call.ddof.fractional != 0) {
      throw_python(false, std::string(caller) +
                              ": ddof is a fraction, which only var and std take, without mean; use an "
                              "integer");
    }
  }
  const auto of_order = function.signature.has(ord_parameter) ? norm_of_order(given, function.what, caller)
                                                              : std::optional(function.what);
  call.negative_zero = is_true(given, negative_zero_parameter, caller);
  call.dtype = keyword(given, dtype_parameter, Py_None);
  call.out = keyword(given, out_parameter, Py_None);
  call.stream = keyword(given, stream_parameter, Py_None);
  if (call.out.ptr() == Py_Ellipsis) call.out = Py_None, call.as_array = true;
  const bool is_exact = inputs.first.holds_exact_numbers || inputs.second.holds_exact_numbers;
  if (is_given(given, add_to_parameter)) take_add_to(given, is_exact, call);
  if (has_filter) call.filter = filter->of(inputs, call.adds), call.filter_of = filter;
  if (!of_order) return norm_in_python(call, given);
  call.what = *of_order;
  if (function.gives != outcome::one && !(is_exact && function.gives == outcome::magnitude_index)) {
    const bool is_vector = !is_exact && !inputs.on_gpu() && is_vector_call(call, given);
    const bool are_axes = function.takes == shapes::axes && !is_exact && !inputs.on_gpu();
    const nb::handle axis = are_axes ? keyword(given, axis_parameter, Py_None) : nb::handle();
    return compute_extremes(call, is_vector, axis, [&](const reduction_call& each) {
      if (is_exact) return compute_in_python(each, given);
      return inputs.on_gpu() ? reduce_on_gpu(each, given) : reduce_on_host(each, given);
    });
  }
  if (is_exact || call.ddof.fractional != 0) return compute_in_python(call, given);
  return inputs.on_gpu() ? reduce_on_gpu(call, given) : reduce_on_host(call, given);
}

[[gnu::noinline]] nb::object compute_filtered(const reduction_function& function, const call_arguments& given,
                                              vectors& inputs) {
  given_filter filter(given, function.signature.name);
  return compute_with(function, given, inputs, &filter);
}
/// Calls without a filter pay nothing for one.
nb::object compute_reduction(const reduction_function& function, const call_arguments& given, vectors& inputs) {
  return names_filter(given) ? compute_filtered(function, given, inputs)
                             : compute_with(function, given, inputs, nullptr);
}

/// A variance, or its root, about a given mean.
nb::object compute_about_mean(const reduction_function& variance, const call_arguments& given) {
  const char* const caller = variance.signature.name;
  reduction_function function = variance;
  function.what = variance.what == reduction::stddev ? reduction::stddev_about : reduction::variance_about;
  vectors inputs(caller, given.inputs[0], given.keywords[mean_parameter], "x", "mean");
  if (!names_filter(given)) return compute_with(function, given, inputs, nullptr, true);
  given_filter filter(given, caller);
  return compute_with(function, given, inputs, &filter, true);
}

/// Whether the call is that of one norm of a list of arrays, which has no axes and no order.
bool is_norm_of_list(const reduction_function& function, const call_arguments& given) {
  const bool is_norm = function.what == reduction::nrm2 && function.takes == shapes::axes;
  const bool is_named_so = std::string_view(function.signature.name) == "norm";  // linalg.vector_norm is of arrays
  if (!is_norm || !is_named_so || !is_list_of_arrays(given.inputs[0])) return false;
  PyObject* const mode = given.keywords[mode_parameter];
  const bool is_exact =
      mode == nullptr || PyUnicode_Check(mode) == 0 || PyUnicode_CompareWithASCIIString(mode, "fast") != 0;
  return is_exact && !(names_filter(given) && given_filter(given, function.signature.name).is_given()) &&
         !is_given(given, axis_parameter) && !is_true(given, keepdims_parameter, function.signature.name);
}

nb::object call_on_list(const reduction_function& function, const call_arguments& given, bool joined) {
  const char* const caller = function.signature.name;
  const auto what = norm_of_order(given, function.what, caller);
  if (!what) {
    throw_python(false, std::string(caller) + ": ord is " + text_of(given.keywords[ord_parameter]) +
                            "; a list of arrays has norms of the orders 2 and 1");
  }
  return reduce_list({caller, *what, given.inputs[0], joined, read_placement(given, caller),
                      keyword(given, dtype_parameter, Py_None), keyword(given, out_parameter, Py_None),
                      keyword(given, stream_parameter, Py_None)});
}

nb::object call_normalise(const reduction_function& function, const call_arguments& given) {
  const char* const caller = function.signature.name;
  const auto place = [&](int i) {
    return given.inputs[i] != nullptr ? nb::handle(given.inputs[i]) : nb::handle(Py_None);
  };
  return normalise({caller, function.signature.after == shape_arguments::weight_and_bias, place(0), place(1),
                    place(2), keyword(given, epsilon_parameter, Py_None), keyword(given, out_parameter, Py_None),
                    keyword(given, stream_parameter, Py_None), read_placement(given, caller), given.described});
}

[[gnu::always_inline]] inline vectors inputs_of(const reduction_function& function, const call_arguments& given,
                                                bool two) {
  const char* const caller = function.signature.name;
  const names_of_two names = two ? names_of_inputs(function.signature) : names_of_two{};
  return two ? vectors(caller, given.inputs[0], given.inputs[1], names.first, names.second)
             : vectors(caller, given.inputs[0], function.takes == shapes::group_sizes ? "keys" : "x");
}

}  // namespace

nb::object compute(const reduction_function& function, const call_arguments& given) {
  const char* const caller = function.signature.name;
  if (function.takes == shapes::groups || function.takes == shapes::group_sizes) {
    call_arguments read = given;
    if (const nb::object keys = read_column_keys(function, read); keys.is_valid()) return compute(function, read);
  }
  if (function.takes == shapes::normalised) return call_normalise(function, given);
  if (is_given(given, mean_parameter)) return compute_about_mean(function, given);
  const bool is_matrix = function.signature.of_one && (given.inputs[1] == nullptr || given.inputs[1] == Py_None);
  if (!is_matrix && is_given(given, rowvar_parameter)) {
    throw_python(false, std::string(caller) + ": rowvar is for the matrix of one array; name the axis of two");
  }
  const bool two = function.signature.inputs == 2 && !is_matrix;
  vectors inputs = inputs_of(function, given, two);
  inputs.described = given.described;
  if (function.takes == shapes::lists)
    return call_on_list(function, given, is_true(given, joined_parameter, caller));
  if (is_norm_of_list(function, given)) return call_on_list(function, given, true);
  inputs.first.takes_complex = inputs.second.takes_complex = function.takes_complex;
  inputs.flattens = function.takes == shapes::flattened;
  try {
    if (nb::object found = compute_reduction(function, given, inputs); found.is_valid()) return found;
  } catch (const nb::builtin_exception& refused) {
    if (refused.type() != nb::exception_type::type_error || !has_complex_on_gpu(function, given)) throw;
  }
  return compute_complex_on_gpu(function, given);
}

}  // namespace exactdot::python

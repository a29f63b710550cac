// All functions of reduction_table.hpp: one function that computes any of them.
//
// A call with two short NumPy arrays, the most frequent one, consists of two buffer requests, the dot product and a
// Python float. Each further step runs only if an argument asks for it.
#include <array>
#include <cmath>
#include <exactdot/reductions.hpp>
#include <python/src/arguments.hpp>
#include <python/src/exceptions.hpp>
#include <python/src/gil.hpp>
#include <python/src/gpu_reduce.hpp>
#include <python/src/grid_reduce.hpp>
#include <python/src/group_reduce.hpp>
#include <python/src/host_call.hpp>
#include <python/src/keywords.hpp>
#include <python/src/norm_of_arrays.hpp>
#include <python/src/number.hpp>
#include <python/src/output.hpp>
#include <python/src/reduction_docstrings.hpp>
#include <python/src/reduction_table.hpp>
#include <python/src/reductions.hpp>
#include <string_view>

namespace exactdot::python {
namespace {

/// The arguments of a call after the vectors, converted; the rest as they were passed.
struct reduction_call {
  const reduction_function& function;
  vectors& inputs;
  reduction what;
  options chosen{};
  std::int64_t ddof = 0;
  bool negative_zero = false;
  nb::handle dtype{}, out{}, stream{};
};

/// -0.0 of this type.
any_scalar negative_zero_of(element_type type) { return {type, std::uint64_t{1} << (8 * size_of(type) - 1)}; }

/// `result`, or -0.0 if it is the +0 of a sum of negative zeros only. `extremum` computes min and max of the
/// vector.
template <class Extremum>
any_scalar with_sign_of_zero(const reduction_call& call, any_scalar result, const Extremum& extremum) {
  const imported_array& x = call.inputs.first;
  if (!call.negative_zero || result.bits != 0 || is_integer(result.type) || is_integer(x.type)) return result;
  const std::uint64_t sign = negative_zero_of(x.type).bits;
  const bool only_negative_zeros =
      x.n == 0 || (extremum(reduction::max).bits == sign && extremum(reduction::min).bits == sign);
  return only_negative_zeros ? negative_zero_of(result.type) : result;
}

/// The result type unless dtype or out names one.
element_type default_type(const reduction_call& call) {
  const imported_array& a = call.inputs.first;
  const imported_array* const b = call.inputs.other();
  return default_result_type(call.function.what, a.type, b != nullptr ? b->type : a.type);
}

element_type result_type(const reduction_call& call) {
  return call.dtype.is_none() ? default_type(call) : read_dtype(call.dtype, call.inputs.caller());
}

/// A reduction of the vectors in host memory, rounded to `result`.
any_scalar host_reduce(const reduction_call& call, reduction what, element_type result) {
  const imported_array& a = call.inputs.first;
  const imported_array* const b = call.inputs.other();
  any_scalar value;
  compute(a, b, call.chosen, [&](const options& chosen) {
    value =
        b != nullptr ? dot(a.view(), b->view(), result, chosen) : reduce(what, a.view(), result, chosen, call.ddof);
  });
  return value;
}

nb::object call_on_host(const reduction_call& call) {
  call.inputs.refuse_stream(call.stream);
  call.inputs.check();
  const auto reduce_to = [&](element_type result) {
    return with_sign_of_zero(call, host_reduce(call, call.what, result), [&](reduction extremum) {
      return host_reduce(call, extremum, call.inputs.first.type);
    });
  };
  if (call.out.is_none()) return to_python(reduce_to(result_type(call)));
  imported_array out;
  locate_out(call.out, call.inputs, out);
  check_out(call.dtype, call.inputs, out);
  store(reduce_to(out.type), out);
  return nb::borrow(call.out);
}

nb::object call_on_gpu(const reduction_call& call, const imported_array& out, const stream_choice& stream) {
  call.inputs.check();
  gpu_reduction asked{call.what, call.inputs.first, call.inputs.other(), call.chosen.mode, call.ddof};
  if (call.out.is_none()) {
    const any_scalar value = gpu_reduce(asked, result_type(call), stream);
    return to_python(with_sign_of_zero(call, value, [&](reduction extremum) {
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

/// Whether a keyword argument is true; false if it was not passed.
bool is_true(const call_arguments& given, parameter which) {
  PyObject* const value = given.keywords[which];
  const int is = value == nullptr ? 0 : PyObject_IsTrue(value);
  if (is < 0) throw nb::python_error();
  return is == 1;
}

/// The value of a keyword argument; `default_value` if it was not passed.
nb::handle keyword(const call_arguments& given, parameter which, nb::handle default_value) {
  PyObject* const value = given.keywords[which];
  return value != nullptr ? nb::handle(value) : default_value;
}

bool is_given(const call_arguments& given, parameter which) { return !keyword(given, which, Py_None).is_none(); }

/// A reduction over axes, segments or groups. `stream`: of arrays in GPU memory, otherwise null.
nb::object call_on_axes(const reduction_call& call, const call_arguments& given, result_array& results,
                        const stream_choice* stream) {
  if (call.negative_zero) call.inputs.refuse(false, "negative_zero is for one vector; omit axis and keepdims");
  const grid_call over_axes{call.inputs.caller(), call.what, call.inputs,
                            call.chosen,          call.ddof, keyword(given, axis_parameter, Py_None),
                            call.dtype,           call.out,  is_true(given, keepdims_parameter),
                            default_type(call),   results,   stream};
  const auto of_groups = [&] {
    PyObject* const* const after = given.inputs + call.function.signature.inputs;
    return group_arguments{after[0], after[1], is_true(given, skip_parameter)};
  };
  switch (call.function.takes) {
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
  if (call.function.takes != shapes::axes) return call.function.takes == shapes::vectors;
  return call.inputs.first.dimensions <= 1 && !is_given(given, axis_parameter) &&
         !is_true(given, keepdims_parameter);
}

/// Locates `out` if it was passed.
void locate_results(const reduction_call& call, result_array& results) {
  results.imported.takes_any_shape = true;
  if (call.out.is_none()) return;
  locate_out(call.out, call.inputs, results.imported);
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
  return call_on_axes(call, given, results, nullptr);
}

/// ddof, or correction, which the array API calls it; NumPy has both. 0 without either.
std::int64_t read_ddof(const call_arguments& given, const char* caller) {
  const nb::handle ddof = keyword(given, ddof_parameter, Py_None);
  const nb::handle correction = keyword(given, correction_parameter, Py_None);
  if (correction.is_none()) return ddof.is_none() ? 0 : read_integer(ddof, "ddof", caller);
  if (!ddof.is_none()) throw_python(false, std::string(caller) + ": ddof and correction mean the same; pass one");
  if (!PyFloat_Check(correction.ptr())) return read_integer(correction, "correction", caller);
  const double value = PyFloat_AS_DOUBLE(correction.ptr());
  if (std::trunc(value) != value || std::abs(value) > 0x1p53) {
    throw_python(false, std::string(caller) + ": correction is " + text_of(correction) + "; use a whole number");
  }
  return static_cast<std::int64_t>(value);
}

/// The reduction that the order of a norm names: 2 (the default) or 1.
reduction norm_of_order(const call_arguments& given, reduction otherwise, const char* caller) {
  const nb::handle order = keyword(given, ord_parameter, Py_None);
  if (order.is_none()) return otherwise;
  const double value = PyFloat_AsDouble(order.ptr());
  if (value == -1 && PyErr_Occurred() != nullptr) PyErr_Clear();
  if (value == 2) return reduction::nrm2;
  if (value == 1) return reduction::asum;
  throw_python(false, std::string(caller) + ": ord is " + text_of(order) + "; use 2 or 1");
}

/// mode, threads and device.
options read_placement(const call_arguments& given, const char* caller) {
  static const nb::str* const exact = new nb::str("exact");
  static const nb::str* const automatic = new nb::str("auto");
  PyObject* const threads = given.keywords[threads_parameter];
  return read_options(keyword(given, mode_parameter, *exact),
                      threads != nullptr ? read_integer(threads, "threads", caller) : 0,
                      keyword(given, device_parameter, *automatic), caller);
}

/// A reduction: converts the arguments, then computes on the device that holds the vectors.
nb::object compute_reduction(const reduction_function& function, const call_arguments& given, vectors& inputs) {
  const char* const caller = function.signature.name;
  inputs.first.takes_any_shape = inputs.second.takes_any_shape = function.takes != shapes::vectors &&
                                                                 function.takes != shapes::segments &&
                                                                 function.takes != shapes::group_sizes;
  inputs.locate();
  reduction_call call{.function = function, .inputs = inputs, .what = function.what};
  call.chosen = read_placement(given, caller);
  const bool is_variance = function.what == reduction::variance || function.what == reduction::stddev;
  if (is_variance && call.chosen.mode == mode::fast) {
    throw_python(false, std::string(caller) + ": mode \"fast\" has no variance; use \"exact\"");
  }
  if (is_variance) call.ddof = read_ddof(given, caller);
  if (function.signature.has(ord_parameter)) call.what = norm_of_order(given, function.what, caller);
  call.negative_zero = is_true(given, negative_zero_parameter);
  call.dtype = keyword(given, dtype_parameter, Py_None);
  call.out = keyword(given, out_parameter, Py_None);
  call.stream = keyword(given, stream_parameter, Py_None);
  return inputs.on_gpu() ? reduce_on_gpu(call, given) : reduce_on_host(call, given);
}

/// Whether the call is that of one norm of a list of arrays, which has no axes and no order.
bool is_norm_of_list(const reduction_function& function, const call_arguments& given) {
  const bool is_norm = function.what == reduction::nrm2 && function.takes == shapes::axes;
  if (!is_norm || function.signature.has(ord_parameter) || !is_list_of_arrays(given.inputs[0])) return false;
  PyObject* const mode = given.keywords[mode_parameter];
  const bool is_exact =
      mode == nullptr || PyUnicode_Check(mode) == 0 || PyUnicode_CompareWithASCIIString(mode, "fast") != 0;
  return is_exact && !is_given(given, axis_parameter) && !is_true(given, keepdims_parameter);
}

nb::object call_on_list(const reduction_function& function, const call_arguments& given) {
  return norm_of_arrays({function.signature.name, given.inputs[0], read_placement(given, function.signature.name),
                         keyword(given, dtype_parameter, Py_None), keyword(given, out_parameter, Py_None),
                         keyword(given, stream_parameter, Py_None)});
}

/// The same; an error of the library gets the name that the function has in Python.
nb::object compute_named(const reduction_function& function, const call_arguments& given) {
  const char* const caller = function.signature.name;
  const bool two = function.signature.inputs == 2;
  vectors inputs = two ? vectors(caller, given.inputs[0], given.inputs[1])
                       : vectors(caller, given.inputs[0], function.takes == shapes::group_sizes ? "keys" : "x");
  const finalization_guard guard;
  try {
    if (is_norm_of_list(function, given)) return call_on_list(function, given);
    return compute_reduction(function, given, inputs);
  } catch (const error& failure) {
    const std::string_view sentence = failure.what();
    const std::string_view own = name_of(function.what);
    for (const std::string_view name : {own, std::string_view("asum"), std::string_view("cuda")}) {
      if (!sentence.starts_with(name) || !sentence.substr(name.size()).starts_with(": ")) continue;
      throw error(failure.code(), caller + std::string(sentence.substr(name.size())));
    }
    throw;
  }
}

/// The function that Python calls.
template <std::size_t index>
PyObject* entry(PyObject*, PyObject* const* arguments, Py_ssize_t count, PyObject* names) {
  try {
    call_arguments given;
    if (!parse_call(functions[index].signature, arguments, count, names, given)) return nullptr;
    return compute_named(functions[index], given).release().ptr();
  } catch (const std::exception&) {
    raise_current_exception();
    return nullptr;
  }
}

template <std::size_t... index>
void define(std::array<PyMethodDef, functions.size() + 1>& methods, std::index_sequence<index...>) {
  ((methods[index] = {functions[index].signature.name,
                      reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&entry<index>)),
                      METH_FASTCALL | METH_KEYWORDS,
                      (new std::string(text_signature(functions[index].signature) +
                                       reduction_docstring(functions[index].signature)))
                          ->c_str()}),
   ...);
}

}  // namespace

void bind_reductions(nb::module_& module) {
  static std::array<PyMethodDef, functions.size() + 1> methods{};  // the last one ends the list
  intern_parameter_names();
  define(methods, std::make_index_sequence<functions.size()>());
  if (PyModule_AddFunctions(module.ptr(), methods.data()) != 0) throw nb::python_error();
}

}  // namespace exactdot::python

// All functions of reduction_table.hpp: one function that computes any of them; reduction_functions.cpp calls it.
//
// A call with two short NumPy arrays, the most frequent one, consists of two buffer requests, the dot product and a
// Python float. Each further step runs only if an argument asks for it.
#include <algorithm>
#include <exactdot/reductions.hpp>
#include <python/src/arguments.hpp>
#include <python/src/gil.hpp>
#include <python/src/gpu_reduce.hpp>
#include <python/src/grid_reduce.hpp>
#include <python/src/group_reduce.hpp>
#include <python/src/host_call.hpp>
#include <python/src/kept_elements.hpp>
#include <python/src/keywords.hpp>
#include <python/src/list_reduce.hpp>
#include <python/src/normalise.hpp>
#include <python/src/number.hpp>
#include <python/src/output.hpp>
#include <python/src/reduction_table.hpp>
#include <python/src/reductions.hpp>
#include <string_view>
#include <type_traits>
#include <utility>

namespace exactdot::python {
namespace {

/// The arguments of a call after the vectors, converted; the rest as they were passed.
struct reduction_call {
  const reduction_function& function;
  vectors& inputs;
  reduction what;
  options chosen{};
  ddof_value ddof = {};
  bool negative_zero = false;
  bool as_array = false;  // out=...: one result is an array, too
  bool adds = false;      // `out` is the argument add_to
  const element_filter* filter = nullptr;
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

/// The type as which default_result_type takes booleans: their sums are int64, as NumPy's. Beside integers of
/// another type they take that type.
element_type type_of_counts(const imported_array& x, const imported_array* other) {
  if (other == nullptr || other->is_boolean) return element_type::int8;
  return is_integer(other->type) ? other->type : x.type;
}

/// The result type unless dtype or out names one.
element_type default_type(const reduction_call& call) {
  const imported_array& a = call.inputs.first;
  const imported_array* const b = call.inputs.other();
  element_type first = a.type, second = b != nullptr ? b->type : first;
  if (a.is_boolean && !gives_element(call.function.what)) first = type_of_counts(a, b);
  if (b == nullptr) {
    second = first;
  } else if (b->is_boolean) {
    second = type_of_counts(*b, &a);
  }
  return default_result_type(call.function.what, first, second);
}

/// The types of results, for messages.
const char* result_choices(const reduction_call& call) {
  return is_integer(default_type(call)) ? choices_of_integers : choices_of_floats;
}

element_type result_type(const reduction_call& call) {
  return call.dtype.is_none() ? default_type(call)
                              : read_dtype(call.dtype, call.inputs.caller(), result_choices(call));
}

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
  gpu_reduction asked{call.what, call.inputs.first, call.inputs.other(), call.chosen.mode, call.ddof.whole};
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
bool is_true(const call_arguments& given, parameter which, const char* caller) {
  PyObject* const value = given.keywords[which];
  return value != nullptr && read_bool(value, name_of_parameter(which), caller);
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
      call.inputs.check();
      return reduce_pairs(over_axes);
    case shapes::pairs:
    case shapes::ratios:
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
  const bool are_pairs = call.function.takes == shapes::ratios;
  if (call.function.takes != shapes::axes && !are_pairs)
    return call.function.takes == shapes::vectors && !call.as_array;
  if (are_pairs && call.inputs.second.dimensions != 1) return false;
  return (call.inputs.first.dimensions == 1 || (call.inputs.first.dimensions == 0 && !are_pairs)) &&
         !is_given(given, axis_parameter) && !call.as_array &&
         !is_true(given, keepdims_parameter, call.inputs.caller());
}

/// Locates `out` if it was passed.
void locate_results(const reduction_call& call, result_array& results) {
  results.imported.takes_any_shape = true;
  if (call.out.is_none()) return;
  locate_out(call.out, call.inputs, results.imported, call.adds ? "add_to" : "out");
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
  const bool are_defaults = threads == nullptr && given.keywords[mode_parameter] == nullptr &&
                            given.keywords[device_parameter] == nullptr;
  if (are_defaults) return {};
  return read_options(keyword(given, mode_parameter, *exact),
                      threads != nullptr ? read_integer(threads, "threads", caller) : 0,
                      keyword(given, device_parameter, *automatic), caller);
}

/// The name of a reduction of one vector in Python.
const char* name_in_python(reduction what) {
  for (const reduction_function& each : functions) {
    const bool is_alias = each.signature.has(ord_parameter);
    if (each.what == what && !is_alias && (each.takes == shapes::axes || each.takes == shapes::vectors)) {
      return each.signature.name;
    }
  }
  return "";
}

/// What exactdot/_exact.py computes: reductions of numbers that no element type holds, variances with a fractional
/// ddof.
nb::object compute_in_python(const reduction_call& call, const call_arguments& given) {
  const vectors& inputs = call.inputs;
  const finalization_guard guard;
  const char* const caller = inputs.caller();
  const bool is_exact = call.ddof.fractional == 0 || inputs.first.holds_exact_numbers;
  if (is_exact) inputs.refuse_stream(call.stream);
  nb::dict options;
  options["axis"] = keyword(given, axis_parameter, Py_None);
  options["keepdims"] = is_true(given, keepdims_parameter, caller);
  options["skip_out_of_range"] = is_true(given, skip_parameter, caller);
  options["as_array"] = call.as_array;
  options["out"] = call.out;
  options["threads"] = call.chosen.threads;
  options["stream"] = call.stream;
  const auto name_of_type = [](element_type type) { return nb::str(std::string(name_of(type)).c_str()); };
  const nb::object dtype = call.dtype.is_none() ? nb::none() : nb::object(name_of_type(result_type(call)));
  const nb::object ddof = call.ddof.fractional != 0 ? nb::object(nb::float_(call.ddof.fractional))
                                                    : nb::object(nb::int_(call.ddof.whole));
  nb::tuple after = nb::make_tuple();
  PyObject* const* const places = given.inputs + call.function.signature.inputs;
  const auto place = [&](int i) { return places[i] != nullptr ? nb::handle(places[i]) : nb::handle(Py_None); };
  if (call.function.takes == shapes::segments) after = nb::make_tuple(place(0));
  if (call.function.takes == shapes::groups) after = nb::make_tuple(place(0), place(1));
  const nb::object module = nb::module_::import_("exactdot._exact");
  if (!is_exact) {
    const nb::object to = dtype.is_none() ? nb::object(name_of_type(default_type(call))) : dtype;
    return module.attr("deviations")(caller, inputs.first.for_python(), after, ddof, to, **options);
  }
  options["ddof"] = ddof;
  const nb::tuple arrays = inputs.are_two() ? nb::make_tuple(inputs.first.for_python(), inputs.second.for_python())
                                            : nb::make_tuple(inputs.first.for_python());
  return module.attr("reduce")(caller, name_in_python(call.what), arrays, after, dtype, **options);
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

/// A number of Python as an element of this type. Throws TypeError or ValueError unless it is one exactly.
any_scalar read_initial(nb::handle given, element_type type, const char* caller) {
  any_scalar read{type, 0};
  const bool holds = with_element(type, [&]<class T>(T) {
    T value{};
    if constexpr (std::is_integral_v<T>) {
      const nb::object index = nb::steal(PyNumber_Index(given.ptr()));
      if (!index.is_valid()) return PyErr_Clear(), false;
      if constexpr (std::is_signed_v<T>) {
        const long long whole = PyLong_AsLongLong(index.ptr());
        value = static_cast<T>(whole);
        if (PyErr_Occurred() != nullptr || !std::in_range<T>(whole)) return PyErr_Clear(), false;
      } else {
        const unsigned long long whole = PyLong_AsUnsignedLongLong(index.ptr());
        value = static_cast<T>(whole);
        if (PyErr_Occurred() != nullptr || !std::in_range<T>(whole)) return PyErr_Clear(), false;
      }
    } else {
      const double number = PyFloat_AsDouble(given.ptr());
      if (number == -1 && PyErr_Occurred() != nullptr) return PyErr_Clear(), false;
      const core::result_rule rule(core::finish::round, core::format_of(type));
      value = core::from_word<T>(core::converted_word(rule, number));
      const nb::object as_float =
          nb::steal(PyFloat_FromDouble(number));  // which other numbers equal exactly, or not
      const int is_equal = number != number ? 1 : PyObject_RichCompareBool(as_float.ptr(), given.ptr(), Py_EQ);
      if (is_equal < 0) PyErr_Clear();
      if (is_equal != 1) return false;
      if (number == number && any_scalar{type, core::to_word(value)}.to_double() != number) return false;
    }
    read.bits = core::to_word(value);
    return true;
  });
  if (!holds) {
    throw_python(false, std::string(caller) + ": initial is " + text_of(given) + ", which is no " +
                            std::string(name_of(type)));
  }
  return read;
}

bool names_filter(const call_arguments& given) {
  return given.keywords[where_parameter] != nullptr || given.keywords[skip_nan_parameter] != nullptr ||
         given.keywords[initial_parameter] != nullptr;
}

/// The arguments where, skip_nan and initial; nothing if they leave every element.
class given_filter {
 public:
  given_filter(const call_arguments& given, const char* caller)
      : caller_(caller),
        where_(keyword(given, where_parameter, Py_None)),
        initial_(keyword(given, initial_parameter, Py_None)) {
    filter_.skips_nan = is_true(given, skip_nan_parameter, caller);
  }
  [[nodiscard]] bool skips_nan() const { return filter_.skips_nan; }
  [[nodiscard]] bool is_given() const { return filter_.skips_nan || !where_.is_none() || !initial_.is_none(); }
  /// Checks what goes with it.
  const element_filter* of(const vectors& inputs, const reduction_call& call) {
    if (inputs.on_gpu()) inputs.refuse(false, "where, skip_nan and initial are for arrays in host memory");
    if (call.ddof.fractional != 0)
      throw_python(false, std::string(caller_) + ": ddof is a fraction, which is not for where and skip_nan");
    if (call.adds)
      throw_python(true,
                   std::string(caller_) + ": add_to with where or skip_nan; give skipped elements the key -1");
    if (!where_.is_none()) {
      mask_.takes_any_shape = true;
      try {
        mask_.locate(where_.ptr(), conversion::of_numbers);
      } catch (const invalid_array& refused) {
        inputs.refuse(refused.is_type_error, "where: " + refused.reason);
      }
      if (mask_.on_gpu) inputs.refuse(false, "where is in GPU memory");
      if (!mask_.is_boolean) {
        inputs.refuse(true, "where holds " + std::string(name_of(mask_.type)) + "; use booleans");
      }
      filter_.where = &mask_;
    }
    leave_out_nulls(inputs);
    if (initial_.is_none()) return &filter_;
    filter_.initial = read_initial(initial_, inputs.first.type, caller_);
    if (inputs.first.is_boolean && filter_.initial->bits > 1) {
      throw_python(false, std::string(caller_) + ": initial is " + text_of(initial_) + ", which is no bool");
    }
    return &filter_;
  }

 private:
  /// Nulls of columns become a part of the mask.
  void leave_out_nulls(const vectors& inputs) {
    const std::vector<axis> shape = inputs.first.all_axes();
    for (const imported_array* x : {&inputs.first, inputs.other()}) {
      if (x == nullptr || x->validity == nullptr) continue;
      const auto have_one_length = [](const axis& one, const axis& other) { return one.n == other.n; };
      if (!std::ranges::equal(x->all_axes(), shape, have_one_length)) {
        inputs.refuse(false, "a column with nulls beside an array of another shape; fill the nulls first");
      }
      if (valid_.empty()) valid_.assign(inputs.first.n, 1);
      for (std::size_t i = 0; i < valid_.size(); ++i) valid_[i] &= (*x->validity)[i];
    }
    if (valid_.empty() || (filter_.where != nullptr && !intersect_with_mask(shape))) return;
    of_columns_.data = valid_.data(), of_columns_.n = valid_.size(), of_columns_.stride = 1;
    of_columns_.type = element_type::uint8, of_columns_.is_boolean = true;
    of_columns_.dimensions = static_cast<int>(shape.size()), of_columns_.axes = shape;
    std::ptrdiff_t next = 1;
    for (std::size_t i = shape.size(); i-- != 0; next *= static_cast<std::ptrdiff_t>(shape[i].n)) {
      of_columns_.axes[i].stride = next;
    }
    filter_.where = &of_columns_;
  }

  /// False for a mask that does not broadcast, which is refused later, with its shape.
  bool intersect_with_mask(const std::vector<axis>& shape) {
    const std::vector<axis> given = mask_.all_axes();
    if (given.size() > shape.size()) return false;
    std::vector<std::ptrdiff_t> strides(shape.size(), 0);
    for (std::size_t i = 0; i < given.size(); ++i) {
      const std::size_t at = shape.size() - given.size() + i;
      if (given[i].n != 1 && given[i].n != shape[at].n) return false;
      strides[at] = given[i].n == 1 ? 0 : given[i].stride;
    }
    std::vector<std::size_t> position(shape.size(), 0);
    const auto* flag = static_cast<const char*>(mask_.data);
    for (std::uint8_t& valid : valid_) {
      valid &= *flag != 0 ? 1 : 0;
      for (std::size_t i = shape.size(); i-- != 0;) {  // to the next position in the order of C
        flag += strides[i];
        if (++position[i] != shape[i].n) break;
        flag -= static_cast<std::ptrdiff_t>(position[i]) * strides[i];
        position[i] = 0;
      }
    }
    return true;
  }

  const char* caller_;
  nb::handle where_, initial_;
  imported_array mask_, of_columns_;
  std::vector<std::uint8_t> valid_;
  element_filter filter_;
};

/// A reduction: converts the arguments, then computes on the device that holds the vectors.
[[gnu::always_inline]] inline nb::object compute_with(const reduction_function& function,
                                                      const call_arguments& given, vectors& inputs,
                                                      given_filter* filter) {
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
  reduction_call call{.function = function, .inputs = inputs, .what = function.what};
  call.chosen = read_placement(given, caller);
  if (is_ratio && inputs.on_gpu())
    inputs.refuse(false, "arrays in GPU memory have no ratios; copy them to the host");
  const bool is_variance = function.what == reduction::variance || function.what == reduction::stddev;
  if (is_variance && call.chosen.mode == mode::fast) {
    throw_python(false, std::string(caller) + ": mode \"fast\" has no variance; use \"exact\"");
  }
  if (has_ddof(function.what)) {
    call.ddof = read_ddof(given.keywords[ddof_parameter], given.keywords[correction_parameter], caller,
                          default_ddof(function.what));
    if (is_ratio && call.ddof.fractional != 0) {
      throw_python(false,
                   std::string(caller) + ": ddof is a fraction, which only var and std take; use an integer");
    }
  }
  if (function.signature.has(ord_parameter)) call.what = norm_of_order(given, function.what, caller);
  call.negative_zero = is_true(given, negative_zero_parameter, caller);
  call.dtype = keyword(given, dtype_parameter, Py_None);
  call.out = keyword(given, out_parameter, Py_None);
  call.stream = keyword(given, stream_parameter, Py_None);
  if (call.out.ptr() == Py_Ellipsis) call.out = Py_None, call.as_array = true;
  const bool is_exact = inputs.first.holds_exact_numbers || inputs.second.holds_exact_numbers;
  if (is_given(given, add_to_parameter)) take_add_to(given, is_exact, call);
  if (has_filter) call.filter = filter->of(inputs, call);
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

/// Whether the call is that of one norm of a list of arrays, which has no axes and no order.
bool is_norm_of_list(const reduction_function& function, const call_arguments& given) {
  const bool is_norm = function.what == reduction::nrm2 && function.takes == shapes::axes;
  if (!is_norm || function.signature.has(ord_parameter) || !is_list_of_arrays(given.inputs[0])) return false;
  PyObject* const mode = given.keywords[mode_parameter];
  const bool is_exact =
      mode == nullptr || PyUnicode_Check(mode) == 0 || PyUnicode_CompareWithASCIIString(mode, "fast") != 0;
  return is_exact && !(names_filter(given) && given_filter(given, function.signature.name).is_given()) &&
         !is_given(given, axis_parameter) && !is_true(given, keepdims_parameter, function.signature.name);
}

nb::object call_on_list(const reduction_function& function, const call_arguments& given, bool joined) {
  const char* const caller = function.signature.name;
  return reduce_list({caller, function.what, given.inputs[0], joined, read_placement(given, caller),
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
                    keyword(given, stream_parameter, Py_None), read_placement(given, caller)});
}

bool has_complex_elements(const reduction_function& function, const call_arguments& given) {
  const auto is_complex = [](PyObject* x) {
    if (is_masked(x)) return false;
    const nb::object dtype = find_attribute(x, "dtype");
    const nb::object kind = dtype.is_valid() ? find_attribute(dtype.ptr(), "kind") : nb::object();
    return kind.is_valid() && PyUnicode_Check(kind.ptr()) != 0 &&
           PyUnicode_CompareWithASCIIString(kind.ptr(), "c") == 0;
  };
  const bool has_parts = function.what == reduction::sum || function.what == reduction::mean ||
                         function.what == reduction::asum || function.what == reduction::sum_of_squares ||
                         function.what == reduction::nrm2 || function.what == reduction::dot;
  if (!has_parts || function.takes == shapes::lists || function.signature.inputs == 0) return false;
  return is_complex(given.inputs[0]) || (function.signature.inputs == 2 && is_complex(given.inputs[1]));
}

/// What exactdot/_complex.py computes.
nb::object compute_complex(const reduction_function& function, const call_arguments& given) {
  const finalization_guard guard;
  const int inputs = function.signature.inputs;
  const nb::handle first = given.inputs[0], second = given.inputs[inputs - 1];
  const nb::object arrays = inputs == 2 ? nb::object(nb::make_tuple(first, second)) : nb::make_tuple(first);
  nb::list after;
  for (int i = inputs; i < function.signature.positional(); ++i) {
    if (given.inputs[i] != nullptr) after.append(nb::handle(given.inputs[i]));
  }
  nb::dict options;
  for (unsigned i = 0; i < parameter_count; ++i) {
    if (given.keywords[i] != nullptr) options[name_of_parameter(i)] = nb::handle(given.keywords[i]);
  }
  return nb::module_::import_("exactdot._complex")
      .attr("compute")(function.signature.name, std::string(name_of(function.what)).c_str(), arrays,
                       nb::tuple(after), options);
}

}  // namespace

nb::object compute(const reduction_function& function, const call_arguments& given) {
  const char* const caller = function.signature.name;
  if (function.takes == shapes::normalised) return call_normalise(function, given);
  const bool two = function.signature.inputs == 2;
  const names_of_two names = two ? names_of_inputs(function.signature) : names_of_two{};
  vectors inputs = two ? vectors(caller, given.inputs[0], given.inputs[1], names.first, names.second)
                       : vectors(caller, given.inputs[0], function.takes == shapes::group_sizes ? "keys" : "x");
  if (function.takes == shapes::lists)
    return call_on_list(function, given, is_true(given, joined_parameter, caller));
  if (is_norm_of_list(function, given)) return call_on_list(function, given, true);
  try {
    return compute_reduction(function, given, inputs);
  } catch (const nb::builtin_exception& refused) {
    if (refused.type() != nb::exception_type::type_error || !has_complex_elements(function, given)) throw;
  }
  return compute_complex(function, given);
}

}  // namespace exactdot::python

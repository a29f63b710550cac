// Implementation of reduction_call.hpp.
#include <exactdot/reductions.hpp>
#include <python/src/gil.hpp>
#include <python/src/given_arguments.hpp>
#include <python/src/reduction_call.hpp>
#include <string>

namespace exactdot::python {
namespace {

/// The type as which default_result_type takes booleans: their sums are int64, as NumPy's. Beside integers of
/// another type they take that type.
element_type type_of_counts(const imported_array& x, const imported_array* other) {
  if (other == nullptr || other->is_boolean) return element_type::int8;
  return is_integer(other->type) ? other->type : x.type;
}

}  // namespace

element_type default_type(const reduction_call& call) {
  const imported_array& a = call.inputs.first;
  const imported_array* const b = call.inputs.other();
  element_type first = a.type, second = b != nullptr ? b->type : first;
  if (a.is_boolean && !gives_element(call.typed)) first = type_of_counts(a, b);
  if (b == nullptr) {
    second = first;
  } else if (b->is_boolean) {
    second = type_of_counts(*b, &a);
  }
  if (call.inputs.are_two() && is_about_mean(call.typed)) second = first;
  return default_result_type(call.typed, first, second);
}

const char* result_choices(const reduction_call& call) {
  if (is_complex(default_type(call))) return choices_of_complex;
  return is_integer(default_type(call)) ? choices_of_sums : choices_of_floats;
}

element_type result_type(const reduction_call& call) {
  return call.dtype.is_none() ? default_type(call)
                              : read_dtype(call.dtype, call.inputs.caller(), result_choices(call),
                                           is_complex(default_type(call)));
}

namespace {

/// The name of a reduction of one vector in Python.
const char* name_in_python(reduction what) {
  for (const reduction_function& each : functions) {
    if (each.what == what && (each.takes == shapes::axes || each.takes == shapes::vectors)) {
      return each.signature.name;
    }
  }
  return "";
}

/// The options that both modules in Python take.
nb::dict shared_options(const reduction_call& call, const call_arguments& given) {
  nb::dict options;
  options["axis"] = keyword(given, axis_parameter, Py_None);
  options["keepdims"] = is_true(given, keepdims_parameter, call.inputs.caller());
  options["as_array"] = call.as_array;
  options["out"] = call.out;
  options["threads"] = call.chosen.threads;
  return options;
}

/// Which elements are there.
void add_filter(const reduction_call& call, const call_arguments& given, nb::dict& options) {
  const auto* const valid = call.inputs.first.validity.get();
  options["where"] = call.filter_of != nullptr ? call.filter_of->where() : nb::none();
  options["skip_nan"] = is_true(given, skip_nan_parameter, call.inputs.caller());
  options["valid"] = valid != nullptr ? nb::bytes(valid->data(), valid->size()) : nb::bytes("");
}

nb::tuple lengths_of(const imported_array& array) {
  nb::list lengths;
  for (const axis& each : array.all_axes()) lengths.append(each.n);
  return nb::tuple(lengths);
}

}  // namespace

nb::object compute_in_python(const reduction_call& call, const call_arguments& given) {
  vectors& inputs = call.inputs;
  const finalization_guard guard;
  const char* const caller = inputs.caller();
  const bool is_exact = call.ddof.fractional == 0 || inputs.first.holds_exact_numbers;
  if (is_exact) inputs.refuse_stream(call.stream);
  nb::dict options = shared_options(call, given);
  options["skip_out_of_range"] = is_true(given, skip_parameter, caller);
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
  if (!is_exact) {
    const nb::object to = dtype.is_none() ? nb::object(name_of_type(default_type(call))) : dtype;
    const nb::object x = inputs.first.for_python();
    const nb::object lengths = lengths_of(inputs.first);
    options["shape"] = inputs.on_gpu() ? nb::getattr(x, "shape", lengths) : lengths;
    add_filter(call, given, options);
    options["elements"] = call.filter != nullptr ? inputs.first.for_numpy() : nb::none();
    return nb::module_::import_("exactdot._deviations").attr("deviations")(caller, x, after, ddof, to, **options);
  }
  options["ddof"] = ddof;
  const nb::tuple arrays = inputs.are_two() ? nb::make_tuple(inputs.first.for_numpy(), inputs.second.for_numpy())
                                            : nb::make_tuple(inputs.first.for_numpy());
  const bool is_magnitude = call.function.gives == outcome::magnitude_index;
  return nb::module_::import_("exactdot._exact")
      .attr("reduce")(caller, is_magnitude ? "iamax" : name_in_python(call.what), arrays, after, dtype, **options);
}

nb::object norm_in_python(const reduction_call& call, const call_arguments& given) {
  const finalization_guard guard;
  const char* const caller = call.inputs.caller();
  const nb::handle order(given.keywords[ord_parameter]);
  if (call.inputs.on_gpu())
    call.inputs.refuse(false,
                       "ord is " + text_of(order) + ", which is for arrays in host memory; in a GPU's use 2 or 1");
  call.inputs.refuse_stream(call.stream);
  nb::dict options = shared_options(call, given);
  add_filter(call, given, options);
  const std::string type(name_of(call.dtype.is_none() ? default_type(call) : result_type(call)));
  const nb::object x = call.inputs.first.for_python();
  return nb::module_::import_("exactdot._norms")
      .attr("norm")(caller, x, call.inputs.first.for_numpy(), order, type.c_str(), **options);
}

}  // namespace exactdot::python

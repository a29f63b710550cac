// Functions on words of states that are there: rounding, converting, counting; see state_arrays.hpp. Words lie in
// host memory.
#include <exactdot/states.hpp>
#include <python/src/arguments.hpp>
#include <python/src/host_call.hpp>
#include <python/src/state_arrays.hpp>

namespace exactdot::python {
namespace {

bool has_state(reduction what) { return !gives_element(what) && !gives_index(what); }

}  // namespace

reduction read_reduction(nb::handle given, const std::string& name, const char* argument) {
  std::string text;
  if (nb::try_cast(given, text)) {
    if (const auto what = reduction_named(text); what && has_state(*what)) return *what;
  }
  throw_python(false, name + ": " + argument + " is " + text_of(given) +
                          "; use \"dot\", \"sum\", \"asum\", \"sum_of_squares\", \"norm\", \"mean\", \"var\" or "
                          "\"std\"");
}

namespace {

/// Imports an array in host memory, the only one that rounding reads and writes.
void locate_on_host(const std::string& name, imported_array& array, nb::handle given) {
  array.takes_any_shape = true;
  array.locate(given.ptr());
  if (array.on_gpu)
    throw_python(false, name + ": " + describe(given.ptr()) + " is in a GPU's memory; pass its copy on the host");
}

/// The format of these words, by the length of the last axis.
state_format format_of(const std::string& name, const imported_array& words, nb::handle reduction, nb::handle of) {
  state_format format{read_reduction(reduction, name), read_dtype(of, name.c_str()), state_form::full};
  const std::size_t each = words.dimensions == 1 ? words.n : words.axes.back().n, full = format.words();
  if (each == full) return format;
  format.form = state_form::compact;
  if (each == format.words()) return format;
  throw_python(false, name + ": the last axis has " + std::to_string(each) +
                          " words; states of this reduction of " + std::string(name_of(format.type)) + " have " +
                          std::to_string(full) + ", or " + std::to_string(format.words()) + " if they are compact");
}

/// words: a C-contiguous array of int64 of at least one dimension; `make_out(dtype)` makes the array of results.
nb::object round_words(const std::string& name, nb::handle given, nb::handle reduction, nb::handle of,
                       nb::handle finish, nb::handle dtype, std::int64_t ddof, nb::callable make_out) {
  imported_array words, out;
  locate_on_host(name, words, given);
  const state_format format = format_of(name, words, reduction, of);
  const auto result = finish.is_none() ? format.what : read_reduction(finish, name, "finish");
  const element_type type =
      dtype.is_none() ? default_result_type(result, format.type) : read_dtype(dtype, name.c_str());
  nb::object made = make_out(std::string(name_of(type)));
  locate_on_host(name, out, made);
  const axis places{out.n, static_cast<std::ptrdiff_t>(size_of(type))};
  const const_state_span all{static_cast<const std::int64_t*>(words.data), words.n};
  compute(words.n, false, {}, [&](const options&) {
    detail::round_states(format, result, all, {out.data, type, {&places, 1}, false}, ddof, name.c_str());
  });
  return made;
}

/// The same states in another form, normalised, in the array that `make_out(words of a state)` makes.
nb::object convert_words(const std::string& name, nb::handle given, nb::handle reduction, nb::handle of,
                         bool compact, nb::callable make_out) {
  imported_array words, out;
  locate_on_host(name, words, given);
  const state_format format = format_of(name, words, reduction, of);
  const state_form form = form_of(compact);
  nb::object made = make_out(state_format{format.what, format.type, form}.words());
  locate_on_host(name, out, made);
  const const_state_span all{static_cast<const std::int64_t*>(words.data), words.n};
  compute(words.n, false, {}, [&](const options&) {
    detail::convert_states(format, all, form, {static_cast<std::int64_t*>(out.data), out.n}, name.c_str());
  });
  return made;
}

std::size_t words_of_state(const std::string& name, nb::handle reduction, nb::handle of, bool compact) {
  return state_format{read_reduction(reduction, name), read_dtype(of, name.c_str()), form_of(compact)}.words();
}

std::string reduction_name(const std::string& name, nb::handle given) {
  return name_of(read_reduction(given, name));
}

}  // namespace

void bind_state_words(nb::module_& module) {
  const auto any = nb::arg().none();
  const nb::arg plain;
  module.def("_round_words", round_words, plain, any, any, any, any, any, plain, plain);
  module.def("_convert_words", convert_words, plain, any, any, any, plain, plain);
  module.def("_reduction_name", reduction_name, plain, any);
  module.def("_words_of_state", words_of_state, plain, any, any, plain);
}

}  // namespace exactdot::python

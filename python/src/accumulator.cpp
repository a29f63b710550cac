// The class Accumulator: an exact_state whose type is chosen at run time.
//
// Every change happens with the GIL held. An addition without the GIL goes to a temporary state, which is merged
// afterwards. So threads may share an accumulator, and a call that throws adds nothing. Cost: one merge per call.
#include <python/src/accumulator.hpp>
#include <python/src/accumulator_docstrings.hpp>
#include <python/src/arguments.hpp>
#include <python/src/gil.hpp>
#include <python/src/number.hpp>
#include <python/src/state_numbers.hpp>

namespace exactdot::python {
namespace {

/// state += or −= a·b, the sum of a if b is None, or its sum of squares.
void add_terms(exact_state& self, nb::handle a, nb::handle b, reduction what, bool negative,
               const addition_options& given, const char* caller) {
  const bool two = !b.is_none();
  vectors inputs = two ? vectors(caller, a, b) : vectors(caller, a, "a");
  const finalization_guard guard;
  const auto stream = prepare_terms(inputs, self.type(), given);
  exact_state terms = terms_of(inputs, what, given, stream);
  if (negative) terms.negate();
  self.merge(terms);
}

void add_call(exact_state& self, nb::handle a, nb::handle b, std::int64_t threads, nb::handle device,
              nb::handle stream) {
  const char* const caller = "Accumulator.add";
  const auto given = read_addition(threads, device, stream, caller);
  add_terms(self, a, b, b.is_none() ? reduction::sum : reduction::dot, false, given, caller);
}

void add_squares_call(exact_state& self, nb::handle a, std::int64_t threads, nb::handle device, nb::handle stream) {
  const char* const caller = "Accumulator.add_squares";
  const auto given = read_addition(threads, device, stream, caller);
  add_terms(self, a, nb::none(), reduction::sum_of_squares, false, given, caller);
}

void merge_call(exact_state& self, const exact_state& other) {
  require_state(self, other.type());
  self.merge(other);
}

void subtract_state(exact_state& self, const exact_state& other) {
  exact_state negated = other;
  negated.negate();
  merge_call(self, negated);
}

void subtract_call(exact_state& self, nb::handle a, nb::handle b, std::int64_t threads, nb::handle device,
                   nb::handle stream) {
  const char* const caller = "Accumulator.subtract";
  const auto given = read_addition(threads, device, stream, caller);
  if (const exact_state* const other = accumulator_of(a); other != nullptr && b.is_none()) {
    return subtract_state(self, *other);
  }
  add_terms(self, a, b, b.is_none() ? reduction::sum : reduction::dot, true, given, caller);
}

nb::object round_call(const exact_state& self, nb::handle dtype) {
  const element_type type =
      dtype.is_none() ? default_result_type(reduction::sum, self.type()) : read_dtype(dtype, "Accumulator.round");
  return to_python(self.round(type));
}

nb::object to_float(const exact_state& self) {
  return to_python(self.round(default_result_type(reduction::mean, self.type())));
}

nb::object round_root_call(const exact_state& self, nb::handle dtype) {
  const element_type type =
      read_floating_dtype(dtype, default_result_type(reduction::nrm2, self.type()), "Accumulator.round_root");
  return to_python(self.round(type, detail::rounding::root));
}

nb::object round_quotient_call(const exact_state& self, std::int64_t count, nb::handle dtype) {
  const char* const caller = "Accumulator.round_quotient";
  const element_type type = read_floating_dtype(dtype, default_result_type(reduction::mean, self.type()), caller);
  if (count < 0)
    throw_python(false, std::string(caller) + ": count is " + std::to_string(count) + "; use 0 or more");
  return to_python(self.round(type, detail::rounding::quotient, static_cast<std::uint64_t>(count)));
}

exact_state from_words(nb::handle given, nb::handle dtype) {
  const auto words = read_words(given, "Accumulator");
  return {type_of_words(dtype, words.size(), "Accumulator", exact_state::word_count), words};
}

std::string type_name(const exact_state& self) { return std::string(name_of(self.type())); }

nb::object words_of(const exact_state& self) { return array_of_words(self.words()); }

nb::tuple state_of(const exact_state& self) { return nb::make_tuple(type_name(self), words_of(self)); }

std::string text_form(const exact_state& self) {
  return "<exactdot.Accumulator of " + type_name(self) + ", about " +
         nb::cast<std::string>(nb::repr(to_float(self))) + ">";
}

exact_state restored(nb::handle state) {
  const char* const caller = "Accumulator.__setstate__";
  const saved_state saved = read_saved_state(state, caller, exact_state::word_count);
  try {
    return {saved.type, saved.words};
  } catch (const error& refused) {
    refuse_saved_state(caller, refused.what());
  }
}

void bind_additions(accumulator_class& bound) {
  bound
      .def("add", add_call, nb::arg("a").none(), nb::arg("b") = nb::none(), nb::kw_only(), nb::arg("threads") = 0,
           nb::arg("device").none() = "auto", nb::arg("stream") = nb::none(), nb::sig(docstrings::add_signature),
           docstrings::add)
      .def("add_squares", add_squares_call, nb::arg("a").none(), nb::kw_only(), nb::arg("threads") = 0,
           nb::arg("device").none() = "auto", nb::arg("stream") = nb::none(),
           nb::sig(docstrings::add_squares_signature), docstrings::add_squares)
      .def("subtract", subtract_call, nb::arg("a").none(), nb::arg("b") = nb::none(), nb::kw_only(),
           nb::arg("threads") = 0, nb::arg("device").none() = "auto", nb::arg("stream") = nb::none(),
           nb::sig(docstrings::subtract_signature), docstrings::subtract)
      .def("negate", &exact_state::negate, docstrings::negate)
      .def("merge", merge_call, nb::arg("other"), nb::sig("def merge(self, other: Accumulator) -> None"),
           docstrings::merge)
      .def("clear", &exact_state::clear, docstrings::clear);
}

void bind_results(accumulator_class& bound) {
  bound
      .def("round", round_call, nb::arg("dtype").none() = nb::none(),
           nb::sig("def round(self, dtype: DType | None = None) -> float"), docstrings::round)
      .def("round_root", round_root_call, nb::arg("dtype").none() = nb::none(),
           nb::sig("def round_root(self, dtype: DType | None = None) -> float"), docstrings::round_root)
      .def("round_quotient", round_quotient_call, nb::arg("count"), nb::arg("dtype").none() = nb::none(),
           nb::sig("def round_quotient(self, count: int, dtype: DType | None = None) -> float"),
           docstrings::round_quotient)
      .def("__float__", to_float, nb::sig("def __float__(self) -> float"), docstrings::to_float)
      .def_prop_ro("words", words_of, nb::sig("def words(self) -> NDArray[numpy.int64]"), docstrings::words)
      .def_prop_ro("dtype", type_name, docstrings::dtype)
      .def("__repr__", text_form);
}

void bind_copies(accumulator_class& bound) {
  bound
      .def(
          "copy", [](const exact_state& self) { return self; }, nb::sig("def copy(self) -> Accumulator"),
          docstrings::copy)
      .def(
          "__copy__", [](const exact_state& self) { return self; }, nb::sig("def __copy__(self) -> Accumulator"))
      .def(
          "__deepcopy__", [](const exact_state& self, nb::handle) { return self; }, nb::arg("memo"),
          nb::sig("def __deepcopy__(self, memo: object) -> Accumulator"))
      .def_static("from_words", from_words, nb::arg("words"), nb::arg("dtype").none() = nb::none(),
                  nb::sig("def from_words(words: ArrayLike, dtype: DType | None = None) -> Accumulator"),
                  docstrings::from_words)
      .def("__getstate__", state_of, nb::sig("def __getstate__(self) -> tuple[str, NDArray[numpy.int64]]"))
      .def(
          "__reduce__", [](nb::handle self) { return reduced(self, self.attr("__getstate__")()); },
          nb::sig("def __reduce__(self) -> tuple[Any, ...]"))
      .def(
          "__setstate__", [](exact_state& self, nb::handle state) { new (&self) exact_state(restored(state)); },
          nb::arg("state").none(),
          nb::sig("def __setstate__(self, state: tuple[str, NDArray[numpy.int64]]) -> None"));
}

}  // namespace

void bind_accumulator(nb::module_& module) {
  accumulator_class bound(module, "Accumulator", nb::is_final(), docstrings::accumulator);
  bound.def(
      "__init__",
      [](exact_state* self, nb::handle type) { new (self) exact_state(read_dtype(type, "Accumulator")); },
      nb::arg("dtype").none() = "float64", nb::sig("def __init__(self, dtype: DType = 'float64') -> None"),
      docstrings::init);
  bind_additions(bound);
  bind_results(bound);
  bind_copies(bound);
  bind_operators(bound);
}

}  // namespace exactdot::python

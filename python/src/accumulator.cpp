// The class Accumulator: an exact_state whose type is chosen at run time.
//
// Every change happens with the GIL held. An addition without the GIL goes to a temporary state, which is merged
// afterwards. So threads may share an accumulator, and a call that throws adds nothing. Cost: one merge per call.
#include <python/src/accumulator.hpp>
#include <python/src/accumulator_docstrings.hpp>
#include <python/src/arguments.hpp>
#include <python/src/exceptions.hpp>
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

void subtract_call(exact_state& self, nb::handle a, nb::handle b, std::int64_t threads, nb::handle device,
                   nb::handle stream) {
  const char* const caller = "Accumulator.subtract";
  const auto given = read_addition(threads, device, stream, caller);
  if (const exact_state* const other = accumulator_of(a); other != nullptr && b.is_none()) {
    require_state(self, other->type());
    return self.subtract(*other);
  }
  add_terms(self, a, b, b.is_none() ? reduction::sum : reduction::dot, true, given, caller);
}

nb::object round_call(const exact_state& self, nb::handle dtype) {
  const element_type type =
      dtype.is_none() ? default_result_type(reduction::sum, self.type()) : read_dtype(dtype, "Accumulator.round");
  try {
    return to_python(self.round(type));
  } catch (const error& failure) {
    if (failure.code() != errc::overflow || type != element_type::int64 || special_or_sign(self) < 0) throw;
    try {
      static_cast<void>(self.round(element_type::uint64));
    } catch (const error&) {
      throw failure;
    }
    throw error(failure.code(), with_way_out(failure.what(), "use dtype=\"uint64\", which holds it"));
  }
}

nb::object to_float(const exact_state& self) {
  return to_python(self.round(default_result_type(reduction::mean, self.type())));
}

nb::object round_root_call(const exact_state& self, nb::handle dtype) {
  const element_type type =
      read_floating_dtype(dtype, default_result_type(reduction::nrm2, self.type()), "Accumulator.round_root");
  return to_python(self.round(type, core::finish::root));
}

nb::object round_quotient_call(const exact_state& self, std::int64_t count, nb::handle dtype) {
  const char* const caller = "Accumulator.round_quotient";
  const element_type type = read_floating_dtype(dtype, default_result_type(reduction::mean, self.type()), caller);
  if (count < 0)
    throw_python(false, std::string(caller) + ": count is " + std::to_string(count) + "; use 0 or more");
  return to_python(self.round(type, core::finish::quotient, static_cast<std::uint64_t>(count)));
}

std::string text_form(const exact_state& self) {
  return "<exactdot.Accumulator of " + type_name(self) + ", about " +
         nb::cast<std::string>(nb::repr(to_float(self))) + ">";
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
      .def("__repr__", text_form);
}

}  // namespace

void bind_accumulator(nb::module_& module) {
  accumulator_class bound(module, "Accumulator", nb::is_final(), docstrings::accumulator);
  bind_state(bound,
             {docstrings::init, docstrings::words, docstrings::dtype, docstrings::copy, docstrings::from_words});
  bind_additions(bound);
  bind_results(bound);
  bind_operators(bound);
}

}  // namespace exactdot::python

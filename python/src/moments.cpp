// The class Moments: the number of elements, and the exact states of their sum and of their sum of squares.
//
// As accumulator.cpp: additions go to temporary states first, so a call that throws adds nothing.
#include <exactdot/moments.hpp>
#include <python/src/accumulator.hpp>
#include <python/src/arguments.hpp>
#include <python/src/gil.hpp>
#include <python/src/moments_docstrings.hpp>
#include <python/src/number.hpp>
#include <python/src/state_numbers.hpp>

namespace exactdot::python {
namespace {

void add_elements(exact_moments& self, nb::handle x, std::int64_t threads, nb::handle device,
                  nb::handle stream_given) {
  const auto given = read_addition(threads, device, stream_given, "Moments.add");
  vectors inputs("Moments.add", x, "x");
  const finalization_guard guard;
  const auto stream = prepare_terms(inputs, self.type(), given);
  exact_moments terms(inputs.first.type);
  terms.count = inputs.first.n;
  terms.sum = terms_of(inputs, reduction::sum, given, stream);
  terms.squares = terms_of(inputs, reduction::sum_of_squares, given, stream);
  self.merge(terms);
}

void merge_moments(exact_moments& self, const exact_moments& other) {
  require_state(self.sum, other.type());
  self.merge(other);
}

element_type moment_type(const exact_moments& self, nb::handle dtype, const char* caller) {
  return read_floating_dtype(dtype, default_result_type(reduction::mean, self.type()), caller);
}

nb::object mean_call(const exact_moments& self, nb::handle dtype) {
  return to_python(self.mean(moment_type(self, dtype, "Moments.mean")));
}

nb::object norm_call(const exact_moments& self, nb::handle dtype) {
  return to_python(self.norm(moment_type(self, dtype, "Moments.norm")));
}

nb::object deviation(const exact_moments& self, nb::handle given, nb::handle correction, nb::handle dtype,
                     bool root, const char* caller) {
  const ddof_value ddof = read_ddof(given, correction, caller);
  const element_type type = moment_type(self, dtype, caller);
  if (ddof.fractional != 0) {
    const finalization_guard guard;
    const nb::object rounded =
        nb::module_::import_("exactdot._deviations")
            .attr("round_moments")(array_of_words(self.words()), ddof.fractional, root, std::string(name_of(type)));
    return nb::float_(rounded);
  }
  return to_python(self.deviation(type, static_cast<std::uint64_t>(ddof.whole), root));
}

bool are_equal(const exact_moments& self, const exact_moments& other) {
  return self.count == other.count && self.sum.compare(other.sum) == 0 && self.squares.compare(other.squares) == 0;
}

/// The moments of both, of the type that holds those of both.
exact_moments sum_of(const exact_moments& self, const exact_moments& other) {
  const element_type type = type_of_sum(self.type(), other.type());
  exact_moments made(type);
  made.merge(self);
  made.merge(other);
  return made;
}

std::string moments_text(const exact_moments& self) {
  return "<exactdot.Moments of " + std::to_string(self.count) + " " + type_name(self) + ", mean about " +
         nb::cast<std::string>(nb::repr(mean_call(self, nb::none()))) + ">";
}

using moments_class = nb::class_<exact_moments>;

void bind_moment_results(moments_class& bound) {
  bound
      .def("mean", mean_call, nb::arg("dtype").none() = nb::none(),
           nb::sig("def mean(self, dtype: DType | None = None) -> float"), docstrings::moments_mean)
      .def("norm", norm_call, nb::arg("dtype").none() = nb::none(),
           nb::sig("def norm(self, dtype: DType | None = None) -> float"), docstrings::moments_norm)
      .def(
          "var",
          [](const exact_moments& self, nb::handle ddof, nb::handle dtype, nb::handle correction) {
            return deviation(self, ddof, correction, dtype, false, "Moments.var");
          },
          nb::arg("ddof").none() = nb::none(), nb::arg("dtype").none() = nb::none(), nb::kw_only(),
          nb::arg("correction") = nb::none(), nb::sig(docstrings::moments_var_signature), docstrings::moments_var)
      .def(
          "std",
          [](const exact_moments& self, nb::handle ddof, nb::handle dtype, nb::handle correction) {
            return deviation(self, ddof, correction, dtype, true, "Moments.std");
          },
          nb::arg("ddof").none() = nb::none(), nb::arg("dtype").none() = nb::none(), nb::kw_only(),
          nb::arg("correction") = nb::none(), nb::sig(docstrings::moments_std_signature), docstrings::moments_std)
      .def_prop_ro(
          "count", [](const exact_moments& self) { return self.count; }, docstrings::moments_count)
      .def("__repr__", moments_text)
      .def("__eq__", are_equal, nb::arg("other"), nb::is_operator(),
           nb::sig("def __eq__(self, other: object) -> bool"));
}

}  // namespace

void bind_moments(nb::module_& module) {
  moments_class bound(module, "Moments", nb::is_final(), docstrings::moments);
  bind_state(bound, {docstrings::moments_init, docstrings::moments_words, docstrings::moments_dtype,
                     docstrings::moments_copy, docstrings::moments_from_words});
  bound
      .def("add", add_elements, nb::arg("x").none(), nb::kw_only(), nb::arg("threads") = 0,
           nb::arg("device").none() = "auto", nb::arg("stream") = nb::none(),
           nb::sig(docstrings::moments_add_signature), docstrings::moments_add)
      .def("merge", merge_moments, nb::arg("other"), nb::sig("def merge(self, other: Moments) -> None"),
           docstrings::moments_merge)
      .def(
          "__iadd__",
          [](nb::object self, const exact_moments& other) {
            if (!nb::inst_ready(self)) throw_python(true, "Moments: this object was never initialised");
            merge_moments(nb::cast<exact_moments&>(self), other);
            return self;
          },
          nb::arg("other"), nb::is_operator(), nb::sig("def __iadd__(self, other: Moments) -> Moments"),
          docstrings::moments_iadd)
      .def("__add__", sum_of, nb::arg("other"), nb::is_operator(),
           nb::sig("def __add__(self, other: Moments) -> Moments"), docstrings::moments_plus);
  bind_moment_results(bound);
}

}  // namespace exactdot::python

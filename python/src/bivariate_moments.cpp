// The class BivariateMoments: the number of pairs, and the exact states of the sums of x, y, xy, x² and y².
//
// As moments.cpp: additions go to temporary states first, so a call that throws adds nothing.
#include <python/src/accumulator.hpp>
#include <python/src/arguments.hpp>
#include <python/src/bivariate_moments_docstrings.hpp>
#include <python/src/gil.hpp>
#include <python/src/host_call.hpp>
#include <python/src/number.hpp>
#include <python/src/state_numbers.hpp>
#include <run/exact_pairs.hpp>

namespace exactdot::python {
namespace {

using engine::exact_pairs;
using pairs_class = nb::class_<exact_pairs>;

void add_pairs(exact_pairs& self, nb::handle x, nb::handle y, std::int64_t threads) {
  const auto given = read_addition(threads, nb::str("auto"), nb::none(), "BivariateMoments.add");
  vectors inputs("BivariateMoments.add", x, y, "x", "y");
  const finalization_guard guard;
  inputs.mixes_types = true;
  static_cast<void>(prepare_terms(inputs, self.type(), given));
  if (inputs.on_gpu()) inputs.refuse(false, "pairs are added of arrays in host memory; copy them there");
  exact_pairs terms(self.type());
  compute(inputs.first, &inputs.second, given.chosen,
          [&](const options& chosen) { terms.add(inputs.first.view(), inputs.second.view(), chosen); });
  self.merge(terms);
}

void merge_pairs(exact_pairs& self, const exact_pairs& other) {
  require_state(self.sums[0], other.type());
  self.merge(other);
}

exact_pairs sum_of_pairs(const exact_pairs& self, const exact_pairs& other) {
  exact_pairs made(type_of_sum(self.type(), other.type()));
  made.merge(self);
  made.merge(other);
  return made;
}

nb::object ratio_of(const exact_pairs& self, reduction what, nb::handle dtype, const char* caller,
                    std::int64_t ddof = 0) {
  const element_type by_default = default_result_type(what, self.type());
  return to_python(self.ratio(what, read_floating_dtype(dtype, by_default, caller), ddof));
}

/// A result without ddof.
template <reduction what>
void bind_ratio(pairs_class& bound, const char* name, const char* says) {
  const std::string signature = std::string("def ") + name + "(self, dtype: DType | None = None) -> float";
  const std::string* const caller =
      new std::string(std::string("BivariateMoments.") + name);  // as long as the module
  bound.def(
      name,
      [caller](const exact_pairs& self, nb::handle dtype) { return ratio_of(self, what, dtype, caller->c_str()); },
      nb::arg("dtype").none() = nb::none(), nb::sig(signature.c_str()), says);
}

std::string text_of_pairs(const exact_pairs& self) {
  return "<exactdot.BivariateMoments of " + std::to_string(self.count) + " pairs of " + type_name(self) + ">";
}

}  // namespace

void bind_bivariate_moments(nb::module_& module) {
  pairs_class bound(module, "BivariateMoments", nb::is_final(), docstrings::pairs);
  bind_state(bound, {docstrings::pairs_init, docstrings::pairs_words, docstrings::pairs_dtype,
                     docstrings::pairs_copy, docstrings::pairs_from_words});
  bound
      .def("add", add_pairs, nb::arg("x").none(), nb::arg("y").none(), nb::kw_only(), nb::arg("threads") = 0,
           nb::sig("def add(self, x: Vector, y: Vector, *, threads: int = 0) -> None"), docstrings::pairs_add)
      .def("merge", merge_pairs, nb::arg("other"), nb::sig("def merge(self, other: BivariateMoments) -> None"),
           docstrings::pairs_merge)
      .def(
          "__iadd__",
          [](nb::object self, const exact_pairs& other) {
            if (!nb::inst_ready(self)) throw_python(true, "BivariateMoments: this object was never initialised");
            merge_pairs(nb::cast<exact_pairs&>(self), other);
            return self;
          },
          nb::arg("other"), nb::is_operator(),
          nb::sig("def __iadd__(self, other: BivariateMoments) -> BivariateMoments"), docstrings::pairs_iadd)
      .def("__add__", sum_of_pairs, nb::arg("other"), nb::is_operator(),
           nb::sig("def __add__(self, other: BivariateMoments) -> BivariateMoments"), docstrings::pairs_plus)
      .def(
          "cov",
          [](const exact_pairs& self, std::int64_t ddof, nb::handle dtype) {
            return ratio_of(self, reduction::covariance, dtype, "BivariateMoments.cov", ddof);
          },
          nb::arg("ddof") = 1, nb::arg("dtype").none() = nb::none(),
          nb::sig("def cov(self, ddof: int = 1, dtype: DType | None = None) -> float"), docstrings::pairs_cov)
      .def_prop_ro(
          "count", [](const exact_pairs& self) { return self.count; }, docstrings::pairs_count)
      .def("__repr__", text_of_pairs)
      .def(
          "__eq__", [](const exact_pairs& self, const exact_pairs& other) { return self == other; },
          nb::arg("other"), nb::is_operator(), nb::sig("def __eq__(self, other: object) -> bool"));
  bind_ratio<reduction::correlation>(bound, "corr", docstrings::pairs_corr);
  bind_ratio<reduction::slope>(bound, "slope", docstrings::pairs_slope);
  bind_ratio<reduction::intercept>(bound, "intercept", docstrings::pairs_intercept);
  bind_ratio<reduction::cosine>(bound, "cosine", docstrings::pairs_cosine);
  bind_ratio<reduction::distance>(bound, "distance", docstrings::pairs_distance);
  bind_ratio<reduction::weighted_mean>(bound, "weighted_mean", docstrings::pairs_weighted_mean);
}

}  // namespace exactdot::python

// The class Moments: the number of elements, and the exact states of their sum and of their sum of squares.
//
// As accumulator.cpp: additions go to temporary states first, so a call that throws adds nothing.
#include <cmath>
#include <exactdot/moments.hpp>
#include <python/src/accumulator.hpp>
#include <python/src/arguments.hpp>
#include <python/src/gil.hpp>
#include <python/src/moments_docstrings.hpp>
#include <python/src/number.hpp>
#include <utility>

namespace exactdot::python {
namespace {

struct moment_states {
  explicit moment_states(element_type type) : sum(type, name), squares(type, name) {}

  static constexpr const char* name = "Moments";
  std::uint64_t count = 0;
  exact_state sum, squares;

  [[nodiscard]] element_type type() const { return sum.type(); }
  /// Changes nothing if it throws.
  void merge(const exact_state& other_sum, const exact_state& other_squares, std::uint64_t other_count) {
    const std::uint64_t all = detail::sum_of_counts(count, other_count, name);
    exact_state merged = sum;
    merged.merge(other_sum);
    squares.merge(other_squares);
    sum = std::move(merged);
    count = all;
  }
};

std::size_t moments_word_count(element_type type) { return 1 + 2 * exact_state::word_count(type); }

void add_elements(moment_states& self, nb::handle x, std::int64_t threads, nb::handle device,
                  nb::handle stream_given) {
  const auto given = read_addition(threads, device, stream_given, "Moments.add");
  vectors inputs("Moments.add", x, "x");
  const finalization_guard guard;
  const auto stream = prepare_terms(inputs, self.type(), given);
  const exact_state sum = terms_of(inputs, reduction::sum, given, stream);
  const exact_state squares = terms_of(inputs, reduction::sum_of_squares, given, stream);
  self.merge(sum, squares, inputs.first.n);
}

void merge_moments(moment_states& self, const moment_states& other) {
  require_state(self.sum, other.type());
  self.merge(other.sum, other.squares, other.count);
}

element_type moment_type(const moment_states& self, nb::handle dtype, const char* caller) {
  return read_floating_dtype(dtype, default_result_type(reduction::mean, self.type()), caller);
}

nb::object mean_call(const moment_states& self, nb::handle dtype) {
  return to_python(
      self.sum.round(moment_type(self, dtype, "Moments.mean"), detail::rounding::quotient, self.count));
}

nb::object norm_call(const moment_states& self, nb::handle dtype) {
  return to_python(self.squares.round(moment_type(self, dtype, "Moments.norm"), detail::rounding::root));
}

std::vector<std::int64_t> all_words(const moment_states& self) {
  std::vector<std::int64_t> all{static_cast<std::int64_t>(self.count)};
  for (const exact_state* state : {&self.sum, &self.squares}) {
    const auto words = state->words();
    all.insert(all.end(), words.begin(), words.end());
  }
  return all;
}

nb::object words_of_moments(const moment_states& self) { return array_of_words(all_words(self)); }

nb::object deviation(const moment_states& self, nb::handle given, nb::handle dtype, bool root,
                     const char* caller) {
  const ddof_value ddof = read_ddof(given, "ddof", caller);
  const element_type type = moment_type(self, dtype, caller);
  if (ddof.fractional != 0) {
    const finalization_guard guard;
    const nb::object rounded = nb::module_::import_("exactdot._exact")
                                   .attr("round_moments")(words_of_moments(self), ddof.fractional, root,
                                                          std::string(name_of(type)));
    return nb::float_(rounded);
  }
  return to_python({type, detail::round_moments(self.sum.view(), self.squares.view(), type, self.count,
                                                static_cast<std::uint64_t>(ddof.whole), root)});
}

moment_states moments_of(element_type type, std::span<const std::int64_t> words) {
  const std::size_t count = exact_state::word_count(type);
  moment_states made(type);
  made.count = static_cast<std::uint64_t>(words[0]);
  made.sum = exact_state(type, words.subspan(1, count), moment_states::name);
  made.squares = exact_state(type, words.subspan(1 + count), moment_states::name);
  detail::check_moments(words[0], made.sum.view(), made.squares.view());
  return made;
}

moment_states moments_from(nb::handle given, nb::handle dtype) {
  const auto words = read_words(given, moment_states::name);
  return moments_of(type_of_words(dtype, words.size(), moment_states::name, moments_word_count), words);
}

moment_states restored(nb::handle state) {
  const char* const caller = "Moments.__setstate__";
  const saved_state saved = read_saved_state(state, caller, moments_word_count);
  try {
    return moments_of(saved.type, saved.words);
  } catch (const error& refused) {
    refuse_saved_state(caller, refused.what());
  }
}

bool are_equal(const moment_states& self, const moment_states& other) {
  return self.count == other.count && self.sum.compare(other.sum) == 0 && self.squares.compare(other.squares) == 0;
}

/// The moments of both, of the type that holds those of both.
moment_states sum_of(const moment_states& self, const moment_states& other) {
  const element_type type = type_of_sum(self.type(), other.type());
  moment_states made(type);
  made.merge(self.sum, self.squares, self.count);
  made.merge(other.sum, other.squares, other.count);
  return made;
}

std::string moments_type(const moment_states& self) { return std::string(name_of(self.type())); }

std::string moments_text(const moment_states& self) {
  return "<exactdot.Moments of " + std::to_string(self.count) + " " + moments_type(self) + ", mean about " +
         nb::cast<std::string>(nb::repr(mean_call(self, nb::none()))) + ">";
}

using moments_class = nb::class_<moment_states>;

void bind_moment_results(moments_class& bound) {
  bound
      .def("mean", mean_call, nb::arg("dtype").none() = nb::none(),
           nb::sig("def mean(self, dtype: DType | None = None) -> float"), docstrings::moments_mean)
      .def("norm", norm_call, nb::arg("dtype").none() = nb::none(),
           nb::sig("def norm(self, dtype: DType | None = None) -> float"), docstrings::moments_norm)
      .def(
          "var",
          [](const moment_states& self, nb::handle ddof, nb::handle dtype) {
            return deviation(self, ddof, dtype, false, "Moments.var");
          },
          nb::arg("ddof").none() = 0, nb::arg("dtype").none() = nb::none(),
          nb::sig("def var(self, ddof: float = 0, dtype: DType | None = None) -> float"), docstrings::moments_var)
      .def(
          "std",
          [](const moment_states& self, nb::handle ddof, nb::handle dtype) {
            return deviation(self, ddof, dtype, true, "Moments.std");
          },
          nb::arg("ddof").none() = 0, nb::arg("dtype").none() = nb::none(),
          nb::sig("def std(self, ddof: float = 0, dtype: DType | None = None) -> float"), docstrings::moments_std)
      .def_prop_ro(
          "count", [](const moment_states& self) { return self.count; }, docstrings::moments_count)
      .def_prop_ro("words", words_of_moments, nb::sig("def words(self) -> NDArray[numpy.int64]"),
                   docstrings::moments_words)
      .def_prop_ro("dtype", moments_type, docstrings::moments_dtype)
      .def("__repr__", moments_text)
      .def("__eq__", are_equal, nb::arg("other"), nb::is_operator(),
           nb::sig("def __eq__(self, other: object) -> bool"));
}

void bind_moment_copies(moments_class& bound) {
  bound
      .def(
          "copy", [](const moment_states& self) { return self; }, nb::sig("def copy(self) -> Moments"),
          docstrings::moments_copy)
      .def(
          "__copy__", [](const moment_states& self) { return self; }, nb::sig("def __copy__(self) -> Moments"))
      .def(
          "__deepcopy__", [](const moment_states& self, nb::handle) { return self; }, nb::arg("memo"),
          nb::sig("def __deepcopy__(self, memo: object) -> Moments"))
      .def_static("from_words", moments_from, nb::arg("words"), nb::arg("dtype").none() = nb::none(),
                  nb::sig("def from_words(words: ArrayLike, dtype: DType | None = None) -> Moments"),
                  docstrings::moments_from_words)
      .def(
          "__getstate__",
          [](const moment_states& self) { return nb::make_tuple(moments_type(self), words_of_moments(self)); },
          nb::sig("def __getstate__(self) -> tuple[str, NDArray[numpy.int64]]"))
      .def(
          "__reduce__", [](nb::handle self) { return reduced(self, self.attr("__getstate__")()); },
          nb::sig("def __reduce__(self) -> tuple[Any, ...]"))
      .def(
          "__setstate__", [](moment_states& self, nb::handle state) { new (&self) moment_states(restored(state)); },
          nb::arg("state").none(),
          nb::sig("def __setstate__(self, state: tuple[str, NDArray[numpy.int64]]) -> None"));
}

}  // namespace

void bind_moments(nb::module_& module) {
  moments_class bound(module, "Moments", nb::is_final(), docstrings::moments);
  bound
      .def(
          "__init__",
          [](moment_states* self, nb::handle type) { new (self) moment_states(read_dtype(type, "Moments")); },
          nb::arg("dtype").none() = "float64", nb::sig("def __init__(self, dtype: DType = 'float64') -> None"),
          docstrings::moments_init)
      .def("add", add_elements, nb::arg("x").none(), nb::kw_only(), nb::arg("threads") = 0,
           nb::arg("device").none() = "auto", nb::arg("stream") = nb::none(),
           nb::sig(docstrings::moments_add_signature), docstrings::moments_add)
      .def("merge", merge_moments, nb::arg("other"), nb::sig("def merge(self, other: Moments) -> None"),
           docstrings::moments_merge)
      .def(
          "__iadd__",
          [](nb::object self, const moment_states& other) {
            if (!nb::inst_ready(self)) throw_python(true, "Moments: this object was never initialised");
            merge_moments(nb::cast<moment_states&>(self), other);
            return self;
          },
          nb::arg("other"), nb::is_operator(), nb::sig("def __iadd__(self, other: Moments) -> Moments"),
          docstrings::moments_iadd)
      .def("__add__", sum_of, nb::arg("other"), nb::is_operator(),
           nb::sig("def __add__(self, other: Moments) -> Moments"), docstrings::moments_plus);
  bind_moment_results(bound);
  bind_moment_copies(bound);
  bound.attr("__hash__") = nb::none();  // mutable
}

}  // namespace exactdot::python

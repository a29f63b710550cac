// What the classes Accumulator, Moments and BivariateMoments share: construction, words, copies and pickles. State:
// exact_state, exact_moments (run/exact_state.hpp) or exact_pairs (run/exact_pairs.hpp).
#pragma once

#include <nanobind/nanobind.h>

#include <python/src/arguments.hpp>
#include <run/exact_state.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace exactdot::python {

using engine::exact_moments;
using engine::exact_state;

/// A new NumPy array of these words.
nb::object array_of_words(std::span<const std::int64_t> words);

/// The words in an array of integers, or anything that NumPy makes one of. Throws TypeError for others.
std::vector<std::int64_t> read_words(nb::handle given, const char* caller);

/// The words of a state of elements of a type.
using word_count = std::size_t(element_type);
template <class State>
std::size_t words_of(element_type type) {
  if constexpr (requires { State::words_of(type); }) {
    return State::words_of(type);
  } else {
    return state_format{State::what, type}.words();
  }
}

/// The type whose states have `given` words: `dtype`, or if that is None float32 or float64. Throws
/// ValueError if none has.
element_type type_of_words(nb::handle dtype, std::size_t given, const char* caller, word_count* count);

/// What __getstate__ returns: the name of the element type, and the words and a check sum as bytes. NumPy's arrays
/// are not fit for it: the way in which they are read from a pickle trusts its bytes.
nb::tuple state_to_save(element_type type, std::span<const std::int64_t> words);

/// What __getstate__ returned: the name of the element type and the words.
struct saved_state {
  element_type type;
  std::vector<std::int64_t> words;
};
/// Reads such a state, or one of earlier versions, with the words as an array. It may come from a damaged pickle.
/// Throws ValueError that says what is wrong with it.
saved_state read_saved_state(nb::handle given, const char* caller, word_count* count);

/// The same for an error of the library.
[[noreturn]] void refuse_saved_state(const char* caller, const std::string& why);

/// What __reduce__ returns for an object with __getstate__: its type makes an empty one in every protocol of
/// pickle.
nb::tuple reduced(nb::handle self);

template <class State>
std::string type_name(const State& self) {
  return std::string(name_of(self.type()));
}

template <class State>
State state_of_words(nb::handle given, nb::handle dtype) {
  const auto words = read_words(given, State::name);
  return {type_of_words(dtype, words.size(), State::name, words_of<State>), words};
}

template <class State>
void restore(State& self, nb::handle given) {
  const std::string caller = std::string(State::name) + ".__setstate__";
  const saved_state saved = read_saved_state(given, caller.c_str(), words_of<State>);
  try {
    State made(saved.type, saved.words);
    new (&self) State(std::move(made));
  } catch (const error& refused) {
    refuse_saved_state(caller.c_str(), refused.what());
  }
}

struct state_docstrings {
  const char *init, *words, *dtype, *copy, *from_words;
};

template <class State>
void bind_state(nb::class_<State>& bound, const state_docstrings& says) {
  const auto makes = [](const char* call) { return std::string("def ") + call + " -> " + State::name; };
  const auto copy = [](const State& self) { return self; };
  bound
      .def(
          "__init__", [](State* self, nb::handle type) { new (self) State(read_dtype(type, State::name)); },
          nb::arg("dtype").none() = "float64", nb::sig("def __init__(self, dtype: DType = 'float64') -> None"),
          says.init)
      .def_prop_ro(
          "words", [](const State& self) { return array_of_words(self.words()); },
          nb::sig("def words(self) -> NDArray[numpy.int64]"), says.words)
      .def_prop_ro("dtype", type_name<State>, says.dtype)
      .def("copy", copy, nb::sig(makes("copy(self)").c_str()), says.copy)
      .def("__copy__", copy, nb::sig(makes("__copy__(self)").c_str()))
      .def(
          "__deepcopy__", [](const State& self, nb::handle) { return self; }, nb::arg("memo"),
          nb::sig(makes("__deepcopy__(self, memo: object)").c_str()))
      .def_static("from_words", state_of_words<State>, nb::arg("words"), nb::arg("dtype").none() = nb::none(),
                  nb::sig(makes("from_words(words: ArrayLike, dtype: DType | None = None)").c_str()),
                  says.from_words)
      .def(
          "__getstate__", [](const State& self) { return state_to_save(self.type(), self.words()); },
          nb::sig("def __getstate__(self) -> tuple[str, bytes]"))
      .def("__reduce__", reduced, nb::sig("def __reduce__(self) -> tuple[Any, ...]"))
      .def("__setstate__", restore<State>, nb::arg("state").none(),
           nb::sig("def __setstate__(self, state: tuple[str, bytes | NDArray[numpy.int64]]) -> None"));
  bound.attr("__hash__") = nb::none();  // mutable
}

}  // namespace exactdot::python

// The class Accumulator: an exactdot::accumulator of a type that is chosen at run time.
//
// Every change happens with the GIL held. An addition without the GIL goes to a temporary state, which is merged
// afterwards. So threads may share an accumulator, and a call that throws adds nothing. Cost: one merge per call.
#include <exactdot/accumulator.hpp>
#include <python/src/accumulator.hpp>
#include <python/src/arguments.hpp>
#include <python/src/docstrings.hpp>
#include <python/src/gil.hpp>
#include <python/src/gpu_dot.hpp>
#include <python/src/host_call.hpp>
#include <python/src/number.hpp>
#include <variant>
#include <vector>

namespace exactdot::python {
namespace {

class any_accumulator {
 public:
  explicit any_accumulator(element_type type) {
    with_carrier(type, [&]<class T>(T) { state_.emplace<accumulator<T>>(); });
  }

  static any_accumulator from(const std::vector<std::int64_t>& words) {
    std::string sizes;
    for (const element_info& known : carriers) {
      const std::size_t count = with_carrier(known.type, []<class T>(T) { return accumulator<T>::word_count; });
      sizes += "; a " + std::string(known.name) + " state has " + std::to_string(count);
      if (words.size() != count) continue;
      any_accumulator made(known.type);
      std::visit([&]<class State>(State& state) { state = State(words); }, made.state_);
      return made;
    }
    throw_python(false, "Accumulator: " + std::to_string(words.size()) + " words" + sizes);
  }

  [[nodiscard]] element_type type() const {
    return std::visit([]<class T>(const accumulator<T>&) { return type_of<T>; }, state_);
  }

  /// Adds a·b, or the sum of a if b is null; adds nothing if it throws.
  void add(const imported_array& a, const imported_array* b, const options& given) {
    std::visit(
        [&]<class State>(State& state) {
          State sum;
          compute(a, b, given, [&](const options& chosen) {
            b != nullptr ? sum.add(a.view(), b->view(), chosen) : sum.add(a.view(), chosen);
          });
          state.merge(sum);
        },
        state_);
  }

  void add_on_gpu(const imported_array& a, const imported_array& b, const stream_choice& stream) {
    if (a.n == 0) return;
    std::visit([&]<class State>(State& state) { state.merge(State(gpu_words(a, b, stream))); }, state_);
  }

  void merge(const any_accumulator& other) {
    if (type() != other.type()) {
      throw_python(true, "Accumulator: this accumulator is of " + std::string(name_of(type())) + ", the other of " +
                             std::string(name_of(other.type())));
    }
    const auto copy = other.state_;  // `other` may be *this
    std::visit([&](auto& state) { state.merge(std::get<std::decay_t<decltype(state)>>(copy)); }, state_);
  }

  [[nodiscard]] double round(element_type result) const {
    return std::visit(
        [&](const auto& state) {
          return with_carrier(result, [&]<class R>(R) { return to_python(state.template round<R>()); });
        },
        state_);
  }

  [[nodiscard]] std::span<const std::int64_t> words() const {
    return std::visit([](const auto& state) { return state.words(); }, state_);
  }

  void clear() {
    std::visit([](auto& state) { state.clear(); }, state_);
  }

 private:
  std::variant<accumulator<float>, accumulator<double>> state_;
};

nb::object words_of(const any_accumulator& self) {
  const auto words = self.words();
  const nb::bytes bytes(words.data(), words.size_bytes());
  return nb::module_::import_("numpy").attr("frombuffer")(bytes, nb::arg("dtype").none() = "int64").attr("copy")();
}

std::vector<std::int64_t> words_from(nb::handle given) {
  if (is_masked(given.ptr())) throw_python(true, "Accumulator: words are a masked array; fill it first");
  const nb::object numpy = nb::module_::import_("numpy");
  const nb::object array = numpy.attr("asarray")(given);
  if (nb::cast<std::string>(nb::str(array.attr("dtype").attr("kind"))) != "i") {
    throw_python(true, "Accumulator: words are integers (int64), not " + describe(array.ptr()));
  }
  std::vector<std::int64_t> words;
  for (const nb::handle word : array.attr("ravel")()) words.push_back(nb::cast<std::int64_t>(nb::int_(word)));
  return words;
}

void check_type(const any_accumulator& self, const imported_array& vector) {
  if (vector.type == self.type()) return;
  throw_python(true, "Accumulator.add: the accumulator is of " + std::string(name_of(self.type())) +
                         ", the vectors hold " + std::string(name_of(vector.type)) + " (" +
                         describe(vector.object) + ")");
}

void add_sum(any_accumulator& self, nb::handle only, const options& options, nb::handle stream) {
  imported_array a;
  try {
    a.locate(only.ptr());
  } catch (const invalid_array& refused) {
    throw_python(refused.is_type_error,
                 "Accumulator.add: a: " + refused.reason + " (a is " + describe(only.ptr()) + ")");
  }
  if (a.on_gpu) {
    throw_python(true, "Accumulator.add: a plain sum takes vectors in host memory; pass a vector of ones as b");
  }
  if (a.dimensions != 1) throw_python(false, "Accumulator.add: a: has no dimension; use a 1-D array");
  check_type(self, a);
  refuse_stream(stream, a, "Accumulator.add");
  self.add(a, nullptr, options);
}

void add_call(any_accumulator& self, nb::handle first, nb::handle second, int threads, nb::handle device,
              nb::handle stream_given) {
  static const nb::object* const exact = new nb::object(nb::str("exact"));
  const options options = read_options(*exact, threads, device, "Accumulator.add");
  if (second.is_none()) return add_sum(self, first, options, stream_given);
  imported_array a, b;
  const finalization_guard guard;
  locate_pair(first, second, a, b, "Accumulator.add");
  if (a.on_gpu) {
    const auto stream = import_pair(a, b, nullptr, options, stream_given, "Accumulator.add");
    check_type(self, a);
    return self.add_on_gpu(a, b, stream);
  }
  check_pair(a, b, "Accumulator.add");
  check_type(self, a);
  refuse_stream(stream_given, a, "Accumulator.add");
  self.add(a, &b, options);
}

double round_call(const any_accumulator& self, nb::handle type) {
  return self.round(type.is_none() ? self.type() : read_dtype(type, "Accumulator.round"));
}

bool equal(const any_accumulator& self, const any_accumulator& other) {
  const auto left = self.words(), right = other.words();
  return std::equal(left.begin(), left.end(), right.begin(), right.end());
}

}  // namespace

void bind_accumulator(nb::module_& module) {
  nb::class_<any_accumulator> bound(module, "Accumulator", nb::is_final(), docstrings::accumulator);
  bound
      .def(
          "__init__",
          [](any_accumulator* self, nb::handle type) {
            new (self) any_accumulator(read_dtype(type, "Accumulator"));
          },
          nb::arg("dtype").none() = "float64", nb::sig("def __init__(self, dtype: DType = 'float64') -> None"),
          docstrings::init)
      .def("add", add_call, nb::arg("a").none(), nb::arg("b") = nb::none(), nb::kw_only(), nb::arg("threads") = 0,
           nb::arg("device").none() = "auto", nb::arg("stream") = nb::none(), nb::sig(docstrings::add_signature),
           docstrings::add)
      .def("merge", &any_accumulator::merge, nb::arg("other"), docstrings::merge)
      .def(
          "__iadd__",
          [](nb::object self, const any_accumulator& other) {
            nb::cast<any_accumulator&>(self).merge(other);
            return self;
          },
          nb::arg("other"), nb::is_operator(), nb::sig("def __iadd__(self, other: Accumulator) -> Accumulator"),
          docstrings::iadd)
      .def("round", round_call, nb::arg("dtype").none() = nb::none(),
           nb::sig("def round(self, dtype: DType | None = None) -> float"), docstrings::round)
      .def(
          "__float__", [](const any_accumulator& self) { return self.round(self.type()); }, docstrings::to_float)
      .def("clear", &any_accumulator::clear, docstrings::clear)
      .def(
          "copy", [](const any_accumulator& self) { return self; }, docstrings::copy)
      .def("__copy__", [](const any_accumulator& self) { return self; })
      .def(
          "__deepcopy__", [](const any_accumulator& self, nb::handle) { return self; }, nb::arg("memo"))
      .def("__eq__", equal, nb::arg("other"), nb::is_operator(), nb::sig("def __eq__(self, other: object) -> bool"))
      .def_prop_ro("words", words_of, nb::sig("def words(self) -> NDArray[numpy.int64]"), docstrings::words)
      .def_prop_ro(
          "dtype", [](const any_accumulator& self) { return std::string(name_of(self.type())); }, docstrings::dtype)
      .def_static(
          "from_words", [](nb::handle words) { return any_accumulator::from(words_from(words)); }, nb::arg("words"),
          nb::sig("def from_words(words: ArrayLike) -> Accumulator"), docstrings::from_words)
      .def("__getstate__", words_of, nb::sig("def __getstate__(self) -> NDArray[numpy.int64]"))
      .def(
          "__setstate__",
          [](any_accumulator& self, nb::handle words) {
            new (&self) any_accumulator(any_accumulator::from(words_from(words)));
          },
          nb::arg("state"), nb::sig("def __setstate__(self, state: NDArray[numpy.int64]) -> None"))
      .def("__repr__", [](const any_accumulator& self) {
        const nb::object value = nb::float_(self.round(self.type()));
        return "<exactdot.Accumulator of " + std::string(name_of(self.type())) + ", about " +
               nb::cast<std::string>(nb::repr(value)) + ">";
      });
  bound.attr("__hash__") = nb::none();  // mutable
}

}  // namespace exactdot::python

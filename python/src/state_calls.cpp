// What the classes Accumulator and Moments share: additions of vectors (accumulator.hpp), and words (state_class.hpp).
#include <cstring>
#include <python/src/accumulator.hpp>
#include <python/src/arguments.hpp>
#include <python/src/element_formats.hpp>
#include <python/src/gil.hpp>
#include <python/src/gpu_reduce.hpp>
#include <python/src/host_call.hpp>
#include <python/src/state_numbers.hpp>

namespace exactdot::python {

addition_options read_addition(std::int64_t threads, nb::handle device, nb::handle stream, const char* caller) {
  static const nb::object* const exact = new nb::object(nb::str("exact"));
  return {read_options(*exact, threads, device, caller), stream};
}

stream_choice prepare_terms(vectors& inputs, element_type type, const addition_options& given) {
  inputs.locate();
  stream_choice stream;
  if (inputs.on_gpu()) {
    stream = inputs.import_on_gpu(nullptr, given.chosen, given.stream);
  }
  inputs.check();
  for (const imported_array* vector : {static_cast<const imported_array*>(&inputs.first), inputs.other()}) {
    if (vector == nullptr || detail::state_holds(type, vector->type)) continue;
    inputs.refuse(true, "the accumulator is of " + std::string(name_of(type)) + ", the vectors hold " +
                            std::string(name_of(vector->type)));
  }
  if (inputs.are_two() && inputs.on_gpu() && inputs.first.type != inputs.second.type) {
    inputs.refuse(true, "a holds " + std::string(name_of(inputs.first.type)) + ", b " +
                            std::string(name_of(inputs.second.type)) + "; convert one");
  }
  if (!inputs.on_gpu()) inputs.refuse_stream(given.stream);
  return stream;
}

exact_state terms_of(const vectors& inputs, reduction what, const addition_options& given,
                     const stream_choice& stream) {
  const imported_array& a = inputs.first;
  const imported_array* const b = inputs.other();
  exact_state sum(b != nullptr ? type_of_sum(a.type, b->type) : a.type);
  if (inputs.on_gpu()) return a.n == 0 ? sum : exact_state(a.type, gpu_words({what, a, b}, stream));
  compute(a, b, given.chosen,
          [&](const options& chosen) { sum.add(what, a.view(), b != nullptr ? b->view() : a.view(), chosen); });
  return sum;
}

nb::object array_of_words(std::span<const std::int64_t> words) {
  const nb::bytes bytes(words.data(), words.size_bytes());
  return nb::module_::import_("numpy").attr("frombuffer")(bytes, nb::arg("dtype").none() = "int64").attr("copy")();
}

std::vector<std::int64_t> read_words(nb::handle given, const char* caller) {
  if (is_masked(given.ptr())) throw_python(true, std::string(caller) + ": words are a masked array; fill it first");
  const nb::object numpy = nb::module_::import_("numpy");
  const nb::object array = numpy.attr("asarray")(given);
  if (nb::cast<std::string>(nb::str(array.attr("dtype").attr("kind"))) != "i") {
    throw_python(true, std::string(caller) + ": words are integers (int64), not " + describe(array.ptr()));
  }
  if (nb::cast<int>(array.attr("dtype").attr("itemsize")) != 8) {
    throw_python(true,
                 std::string(caller) + ": words are int64, not " +
                     nb::cast<std::string>(array.attr("dtype").attr("name")) +
                     ", in which sums of words wrap; with JAX, set jax_enable_x64 before the first array is made");
  }
  const nb::bytes bytes(array.attr("astype")("int64").attr("tobytes")());
  std::vector<std::int64_t> words(bytes.size() / sizeof(std::int64_t));
  if (!words.empty()) std::memcpy(words.data(), bytes.c_str(), bytes.size());
  return words;
}

void require_state(const exact_state& state, element_type other) {
  if (detail::state_holds(state.type(), other)) return;
  const std::string one = std::string(state.caller) == "Accumulator" ? "this accumulator is" : "these moments are";
  throw_python(true, std::string(state.caller) + ": " + one + " of " + std::string(name_of(state.type())) +
                         ", the other of " + std::string(name_of(other)));
}

void refuse_saved_state(const char* caller, const std::string& why) {
  throw_python(false, std::string(caller) + ": the state is not one of __getstate__: " + why);
}

namespace {

constexpr std::size_t crc_bytes = 4;

/// CRC-32, which no change of up to three bits of a state leaves as it is (the longest has 18 kbit).
std::uint32_t crc_of(nb::handle name, const nb::bytes& words) {
  const nb::object crc32 = nb::module_::import_("binascii").attr("crc32");
  return nb::cast<std::uint32_t>(crc32(words, crc32(name.attr("encode")())));
}

/// Bytes from the lowest on, on any machine.
template <class T>
std::string little_endian(std::span<const T> values) {
  std::string bytes;
  for (const T value : values) {
    for (std::size_t i = 0; i < sizeof value; ++i) bytes += static_cast<char>(value >> 8 * i);
  }
  return bytes;
}

std::vector<std::int64_t> saved_words(nb::handle name, nb::handle given, const char* caller) {
  const nb::bytes all = nb::borrow<nb::bytes>(given);
  constexpr std::size_t word = sizeof(std::int64_t);
  if (all.size() % word != crc_bytes) refuse_saved_state(caller, "it has " + std::to_string(all.size()) + " bytes");
  const std::size_t length = all.size() - crc_bytes;
  const std::uint32_t crc[] = {crc_of(name, nb::bytes(all.c_str(), length))};
  if (little_endian(std::span<const std::uint32_t>(crc)) != std::string_view(all.c_str() + length, crc_bytes)) {
    refuse_saved_state(caller, "its check sum is wrong: the bytes are damaged");
  }
  std::vector<std::int64_t> words(length / word);
  for (std::size_t i = 0; i < length; ++i) {
    words[i / word] |= static_cast<std::int64_t>(static_cast<unsigned char>(all.c_str()[i])) << 8 * (i % word);
  }
  return words;
}

}  // namespace

nb::tuple state_to_save(element_type type, std::span<const std::int64_t> words) {
  const nb::str name(std::string(name_of(type)).c_str());
  std::string bytes = little_endian(words);
  const std::uint32_t crc[] = {crc_of(name, nb::bytes(bytes.data(), bytes.size()))};
  bytes += little_endian(std::span<const std::uint32_t>(crc));
  return nb::make_tuple(name, nb::bytes(bytes.data(), bytes.size()));
}

saved_state read_saved_state(nb::handle given, const char* caller, word_count* count) {
  if (PyTuple_Check(given.ptr()) == 0 || NB_TUPLE_GET_SIZE(given.ptr()) != 2) {
    refuse_saved_state(caller, "it is " + describe(given.ptr()) + ", not a name of an element type and words");
  }
  const nb::handle name(NB_TUPLE_GET_ITEM(given.ptr(), 0));
  const auto type = PyUnicode_Check(name.ptr()) != 0 ? type_named(text_of(name)) : std::nullopt;
  if (!type) refuse_saved_state(caller, "its element type is " + text_of(name));
  saved_state read{*type, {}};
  try {
    const nb::handle words(NB_TUPLE_GET_ITEM(given.ptr(), 1));
    read.words = PyBytes_Check(words.ptr()) != 0 ? saved_words(name, words, caller) : read_words(words, caller);
  } catch (const nb::builtin_exception& refused) {
    refuse_saved_state(caller, refused.what());
  }
  const std::size_t words = count(*type);
  if (read.words.size() == words) return read;
  refuse_saved_state(caller, "it has " + std::to_string(read.words.size()) + " words, one of " +
                                 std::string(name_of(*type)) + " has " + std::to_string(words));
}

nb::tuple reduced(nb::handle self) {
  return nb::make_tuple(nb::module_::import_("copyreg").attr("__newobj__"), nb::make_tuple(self.type()),
                        self.attr("__getstate__")());
}

element_type type_of_words(nb::handle dtype, std::size_t given, const char* caller, word_count* count) {
  const auto describe_type = [&](element_type type) {
    return "; a " + std::string(name_of(type)) + " state has " + std::to_string(count(type));
  };
  std::string sizes;
  if (!dtype.is_none()) {
    const element_type type = read_dtype(dtype, caller);
    if (count(type) == given) return type;
    sizes = describe_type(type);
  } else {
    for (const element_type type : {element_type::float32, element_type::float64}) {
      if (count(type) == given) return type;
      sizes += describe_type(type);
    }
    sizes += "; states of other types need dtype";
  }
  throw_python(false, std::string(caller) + ": " + std::to_string(given) + " words" + sizes);
}

element_type read_floating_dtype(nb::handle given, element_type default_type, const char* caller) {
  const element_type type = given.is_none() ? default_type : read_dtype(given, caller);
  if (!is_integer(type)) return type;
  throw_python(false,
               std::string(caller) + ": dtype is " + std::string(name_of(type)) + "; use a floating-point type");
}

}  // namespace exactdot::python

// Implementation of exceptions.hpp.
#include <nanobind/nanobind.h>

#include <new>
#include <python/src/exceptions.hpp>
#include <string>
#include <string_view>

namespace exactdot::python {
namespace {

/// The library's sentence, with the options of Python that it means.
std::string in_words_of_python(std::string sentence) {
  constexpr std::string_view words[][2] = {
      {"let elements with such keys be skipped", "pass skip_out_of_range=True"},
      {"number the keys that occur, or pass the number of groups",
       "number the keys that occur by np.unique(keys, return_inverse=True), or pass groups"},
      {"use a floating-point result type", "use dtype=\"float64\", which rounds it"},
      {"round it to a floating-point type", "use dtype=\"float64\", which rounds it"},
  };
  for (const auto& [general, of_python] : words) {
    const std::size_t at = sentence.find(general);
    if (at != sentence.npos) sentence.replace(at, general.size(), of_python);
  }
  return sentence;
}

}  // namespace

std::string with_way_out(std::string sentence, const std::string& way_out) {
  const std::size_t at = sentence.rfind("; ");
  return at == sentence.npos ? sentence : sentence.replace(at + 2, sentence.npos, way_out);
}

void raise_error(errc code, const char* sentence) {
  PyObject* kind = PyExc_RuntimeError;
  switch (code) {
    case errc::headroom:
    case errc::overflow:
      kind = PyExc_OverflowError;
      break;
    case errc::size_mismatch:
    case errc::bad_option:
    case errc::empty_input:
    case errc::null_pointer:
      kind = PyExc_ValueError;
      break;
    default:
      break;
  }
  PyErr_SetString(kind, in_words_of_python(sentence).c_str());
}

void raise_current_exception() {
  try {
    throw;
  } catch (nanobind::python_error& raised) {
    raised.restore();
  } catch (const nanobind::builtin_exception& raised) {
    PyErr_SetString(raised.type() == nanobind::exception_type::type_error ? PyExc_TypeError : PyExc_ValueError,
                    raised.what());
  } catch (const error& failure) {
    raise_error(failure.code(), failure.what());
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& failure) {
    PyErr_SetString(PyExc_RuntimeError, failure.what());
  }
}

}  // namespace exactdot::python

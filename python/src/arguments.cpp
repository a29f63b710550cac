// Implementation of arguments.hpp.
#include <algorithm>
#include <limits>
#include <python/src/arguments.hpp>
#include <python/src/element_formats.hpp>
#include <python/src/gil.hpp>
#include <python/src/gpu_reduce.hpp>

namespace exactdot::python {
namespace {

/// The text of a str; empty for other objects and for text without a UTF-8 form.
std::string_view utf8_of(nb::handle value) {
  Py_ssize_t length = 0;
  const char* const text =
      PyUnicode_Check(value.ptr()) != 0 ? PyUnicode_AsUTF8AndSize(value.ptr(), &length) : nullptr;
  if (text != nullptr) return {text, static_cast<std::size_t>(length)};
  PyErr_Clear();
  return "";
}

/// The name of numpy.dtype(value); empty if NumPy has no such type.
std::string numpy_name_of(nb::handle value) {
  const finalization_guard guard;
  if (value.is_none() || value.ptr() == reinterpret_cast<PyObject*>(Py_TYPE(Py_None))) return "";
  try {
    return text_of(nb::module_::import_("numpy").attr("dtype")(value).attr("name"));
  } catch (const nb::python_error& refused) {
    if (!refused.matches(PyExc_Exception)) throw;
    return "";
  }
}

/// "float64" for "float64", torch.float64, numpy.float64 and others whose name is the last part of their text.
std::string plain_name_of(nb::handle value) {
  const std::string name = PyType_Check(value.ptr()) ? text_of(value.attr("__name__")) : text_of(value);
  return PyUnicode_Check(value.ptr()) == 0 ? name.substr(name.rfind('.') + 1) : name;
}

}  // namespace

void throw_python(bool is_type_error, const std::string& sentence) {
  if (is_type_error) throw nb::type_error(sentence.c_str());
  throw nb::value_error(sentence.c_str());
}

element_type read_dtype(nb::handle value, const char* caller) {
  const std::string name = plain_name_of(value);
  if (const auto found = type_named(name)) return *found;
  const std::string known = numpy_name_of(value);
  if (const auto found = type_named(known)) return *found;
  throw_python(false, std::string(caller) + ": dtype is " + (known.empty() ? name : known) + "; use " +
                          element_type_names());
}

std::int64_t read_integer(nb::handle value, const char* name, const char* caller) {
  const nb::object index = nb::steal(PyNumber_Index(value.ptr()));
  if (!index.is_valid()) {
    if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) throw nb::python_error();
    PyErr_Clear();
    throw_python(true, std::string(caller) + ": " + name + " is " + text_of(value) + "; use an integer");
  }
  int overflow = 0;
  const long long read = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
  if (overflow != 0) {
    throw_python(false, std::string(caller) + ": " + name + " is " + text_of(value) + ", beyond 64 bits");
  }
  return read;
}

options read_options(nb::handle given_mode, std::int64_t threads, nb::handle given_device, const char* caller) {
  const auto refuse = [&](const std::string& found) { throw_python(false, std::string(caller) + ": " + found); };
  options read;
  constexpr std::int64_t max_threads = std::numeric_limits<int>::max();
  read.threads = static_cast<int>(std::min(threads, max_threads));
  if (threads < 0) refuse("threads is " + std::to_string(threads) + "; use 0 (automatic) or more");
  const auto mode = utf8_of(given_mode);
  if (mode == "fast") {
    read.mode = mode::fast;
  } else if (mode != "exact") {
    refuse("mode is " + text_of(given_mode) + "; use \"exact\" or \"fast\"");
  }
  const auto device = utf8_of(given_device);
  if (device != "auto") read.device = device == "cpu" ? device::cpu : device::cuda;
  if (device.starts_with("cuda:") && device.size() > 5 && device.size() < 9 &&
      device.find_first_not_of("0123456789", 5) == std::string_view::npos) {
    read.device_index = std::stoi(std::string(device.substr(5)));
  } else if (device != "auto" && device != "cpu" && device != "cuda") {
    refuse("device is " + text_of(given_device) + "; use \"auto\", \"cpu\", \"cuda\" or \"cuda:N\"");
  }
  if (read.device == device::cuda) require_gpu_engine(std::string(caller) + ": device is " + std::string(device));
  return read;
}

}  // namespace exactdot::python

// Implementation of arguments.hpp.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
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

namespace {

/// The element types of the last dtypes that were passed, by the identity of immutable objects, which it keeps
/// alive.
class known_dtypes {
 public:
  [[nodiscard]] std::optional<element_type> find(PyObject* dtype) const {
    for (const entry& each : entries_) {
      if (each.dtype == dtype) return each.type;
    }
    return std::nullopt;
  }
  void add(PyObject* dtype, element_type type) {
    entry& place = entries_[next_++ % entries_.size()];
    PyObject* const before = place.dtype;
    Py_INCREF(dtype);
    place = {dtype, type};
    Py_XDECREF(before);
  }

 private:
  struct entry {
    PyObject* dtype = nullptr;
    element_type type{};
  };
  std::array<entry, 16> entries_{};
  unsigned next_ = 0;
};

/// A string, a type, or a dtype of NumPy, PyTorch or JAX.
bool is_immutable_dtype(PyObject* value) {
  if (PyUnicode_CheckExact(value) != 0 || PyType_Check(value) != 0) return true;
  const nb::handle type(reinterpret_cast<PyObject*>(Py_TYPE(value)));
  const std::string module = text_of(type.attr("__module__"));
  return module == "torch" || module.starts_with("numpy");
}

}  // namespace

element_type read_dtype(nb::handle value, const char* caller, const char* choices, bool of_complex) {
  static auto* const known = new known_dtypes;
  if (const auto found = known->find(value.ptr()); found && is_complex(*found) == of_complex) return *found;
  const std::string name = plain_name_of(value);
  auto found = number_type_named(name);
  const std::string name_in_numpy = found ? name : numpy_name_of(value);
  if (!found) found = number_type_named(name_in_numpy);
  if (found && is_complex(*found) == of_complex) {
    if (is_immutable_dtype(value.ptr())) known->add(value.ptr(), *found);
    return *found;
  }
  throw_python(false, std::string(caller) + ": dtype is " + (name_in_numpy.empty() ? name : name_in_numpy) +
                          "; use " + (choices != nullptr ? choices : element_type_names()));
}

bool read_bool(nb::handle value, const char* name, const char* caller) {
  if (value.ptr() == Py_True || value.ptr() == Py_False) return value.ptr() == Py_True;
  if (is_numpy_bool(value.ptr())) return PyObject_IsTrue(value.ptr()) == 1;
  throw_python(true, std::string(caller) + ": " + name + " is " + text_of(value) + "; use True or False");
}

std::int64_t read_integer(nb::handle value, const char* name, const char* caller) {
  if (PyLong_CheckExact(value.ptr()) != 0) {
    int overflow = 0;
    const long long read = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
    if (overflow == 0) return read;
  }
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

std::int64_t read_count(nb::handle value, const char* name, const char* caller) {
  const std::int64_t read = read_integer(value, name, caller);
  if (read >= 0) return read;
  throw_python(false, std::string(caller) + ": " + name + " is " + std::to_string(read) + "; use 0 or more");
}

namespace {

ddof_value read_ddof_of_name(nb::handle value, const char* name, const char* caller) {
  constexpr std::int64_t beyond_all_lengths = std::int64_t{1} << 62;
  if (PyLong_CheckExact(value.ptr()) != 0) {
    int overflow = 0;
    (void)PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
    if (overflow > 0) return {beyond_all_lengths};
  }
  if (PyFloat_Check(value.ptr()) == 0 && PyIndex_Check(value.ptr()) != 0) return {read_count(value, name, caller)};
  if (PyNumber_Check(value.ptr()) == 0) {
    throw_python(true, std::string(caller) + ": " + name + " is " + text_of(value) + "; use a number");
  }
  const double read = PyFloat_AsDouble(value.ptr());
  if (PyErr_Occurred() != nullptr) throw nb::python_error();
  if (!(read >= 0) || std::isinf(read)) {
    const bool is_negative = read < 0 && !std::isinf(read);
    throw_python(false, std::string(caller) + ": " + name + " is " + text_of(value) + "; use " +
                            (is_negative ? "0 or more" : "a finite number, 0 or more"));
  }
  if (read > 0x1p53) return {beyond_all_lengths};
  if (std::trunc(read) == read) return {static_cast<std::int64_t>(read)};
  return {0, read};
}

}  // namespace

ddof_value read_ddof(nb::handle ddof, nb::handle correction, const char* caller, int otherwise) {
  const auto is_given = [](nb::handle value) { return value.is_valid() && !value.is_none(); };
  if (is_given(ddof) && is_given(correction)) {
    throw_python(false, std::string(caller) + ": ddof and correction mean the same; pass one");
  }
  if (is_given(ddof)) return read_ddof_of_name(ddof, "ddof", caller);
  return is_given(correction) ? read_ddof_of_name(correction, "correction", caller) : ddof_value{otherwise};
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

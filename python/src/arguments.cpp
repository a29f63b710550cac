// Implementation of arguments.hpp.
#include <python/src/arguments.hpp>
#include <python/src/gpu_dot.hpp>

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

const char* memory_name(const imported_array& vector) { return vector.on_gpu ? "GPU memory" : "host memory"; }

}  // namespace

void throw_python(bool is_type_error, const std::string& sentence) {
  if (is_type_error) throw nb::type_error(sentence.c_str());
  throw nb::value_error(sentence.c_str());
}

element_type read_dtype(nb::handle value, const char* caller) {
  std::string name = PyType_Check(value.ptr()) ? text_of(value.attr("__name__")) : text_of(value);
  if (PyUnicode_Check(value.ptr()) == 0) name = name.substr(name.rfind('.') + 1);  // torch.float64
  if (value.ptr() == reinterpret_cast<PyObject*>(&PyFloat_Type)) name = "float64";
  if (const auto found = type_named(name); found && is_carrier(*found)) return *found;
  throw_python(false, std::string(caller) + ": dtype is " + name + "; use " + element_type_names());
}

options read_options(nb::handle given_mode, int threads, nb::handle given_device, const char* caller) {
  const auto refuse = [&](const std::string& found) { throw_python(false, std::string(caller) + ": " + found); };
  options read;
  read.threads = threads;
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

void refuse_stream(nb::handle stream, const imported_array& a, const char* caller) {
  if (stream.is_none()) return;
  throw_python(false, std::string(caller) + ": stream is for vectors in GPU memory; omit it (a is " +
                          describe(a.object) + ")");
}

void refuse_pair(const invalid_array& refused, PyObject* a, PyObject* b, const char* caller) {
  throw_python(refused.is_type_error, std::string(caller) + ": " + refused.reason + " (a is " + describe(a) +
                                          "; b is " + describe(b) + ")");
}

void locate_pair(nb::handle first, nb::handle second, imported_array& a, imported_array& b, const char* caller) {
  const auto locate = [&](imported_array& array, nb::handle object, const char* name) {
    try {
      array.locate(object.ptr());
    } catch (const invalid_array& refused) {
      refuse_pair({refused.is_type_error, std::string(name) + ": " + refused.reason}, first.ptr(), second.ptr(),
                  caller);
    }
  };
  locate(a, first, "a");
  locate(b, second, "b");
  if (a.on_gpu != b.on_gpu) {
    refuse_pair(
        {false, std::string("a is in ") + memory_name(a) + ", b in " + memory_name(b) + "; copy one of them"},
        first.ptr(), second.ptr(), caller);
  }
}

void check_pair(const imported_array& a, const imported_array& b, const char* caller) {
  const auto refuse = [&](bool is_type_error, const std::string& why) {
    refuse_pair({is_type_error, why}, a.object, b.object, caller);
  };
  if (a.dimensions != 1 || b.dimensions != 1) {
    refuse(false, std::string(a.dimensions != 1 ? "a" : "b") + ": has no dimension; use a 1-D array");
  }
  if (a.type != b.type) {
    refuse(true,
           "a holds " + std::string(name_of(a.type)) + ", b " + std::string(name_of(b.type)) + "; convert one");
  }
  if (a.n != b.n) {
    refuse(false, "the vectors differ in length: " + std::to_string(a.n) + " and " + std::to_string(b.n));
  }
  if (a.on_gpu && a.device != b.device) {
    refuse(false, "a is on GPU " + std::to_string(a.device) + ", b on GPU " + std::to_string(b.device) +
                      "; copy one of them");
  }
}

stream_choice import_pair(imported_array& a, imported_array& b, imported_array* out, const options& options,
                          nb::handle stream_given, const char* caller) {
  const auto refuse_device = [&](const std::string& device) {
    refuse_pair({false, "device is " + device + ", but a is in the memory of GPU " + std::to_string(a.device)},
                a.object, b.object, caller);
  };
  for (imported_array* array : {&a, &b, out}) {
    if (array != nullptr && array->device < 0) find_device(*array, caller);
  }
  if (options.device == device::cpu) refuse_device("cpu");
  if (options.device == device::cuda && options.device_index != a.device) {
    refuse_device("cuda:" + std::to_string(options.device_index));
  }
  const auto stream = choose_stream(stream_given, {out, &a, &b}, caller);
  for (imported_array* array : {&a, &b, out}) {
    if (array == nullptr) continue;
    try {
      array->import_on(stream.handle);
    } catch (const invalid_array& refused) {
      refuse_pair({refused.is_type_error, (array == &a   ? "a: "
                                           : array == &b ? "b: "
                                                         : "out: ") +
                                              refused.reason},
                  a.object, b.object, caller);
    }
    if (array->is_torch && stream.framework != "torch") array->producer_stream = torch_stream(array->device);
    if (array->producer_stream >= 0) order_after_producer(*array, stream.handle);
  }
  check_pair(a, b, caller);
  return stream;
}

}  // namespace exactdot::python

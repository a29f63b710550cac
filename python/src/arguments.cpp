// What Python's callers give, read and refused in one place, so that dot and Accumulator.add say the same of the
// same mistake. Messages begin with the call's name (`what`) and end with both vectors described.
#include <python/src/arguments.hpp>
#include <python/src/gpu_dot.hpp>

namespace exactdot::python {
namespace {

/// A str's text; empty for all else, and for what has no UTF-8 form.
std::string_view text_in(nb::handle value) {
  Py_ssize_t length = 0;
  const char* const text =
      PyUnicode_Check(value.ptr()) != 0 ? PyUnicode_AsUTF8AndSize(value.ptr(), &length) : nullptr;
  if (text != nullptr) return {text, static_cast<std::size_t>(length)};
  PyErr_Clear();
  return "";
}

const char* place(const operand& vector) { return vector.on_gpu ? "a GPU" : "the CPU"; }

}  // namespace

void throw_python(bool is_type_error, const std::string& sentence) {
  if (is_type_error) throw nb::type_error(sentence.c_str());
  throw nb::value_error(sentence.c_str());
}

element_type read_dtype(nb::handle value, const char* what) {
  std::string name = PyType_Check(value.ptr()) ? text_of(value.attr("__name__")) : text_of(value);
  if (PyUnicode_Check(value.ptr()) == 0) name = name.substr(name.rfind('.') + 1);  // torch.float64
  if (value.ptr() == reinterpret_cast<PyObject*>(&PyFloat_Type)) name = "float64";
  if (const auto found = type_named(name)) return *found;
  throw_python(false, std::string(what) + ": dtype is " + name + "; use " + element_type_names());
}

options read_options(nb::handle given_mode, int threads, nb::handle given_device, const char* what) {
  const auto refuse = [&](const std::string& found) { throw_python(false, std::string(what) + ": " + found); };
  options read;
  read.threads = threads;
  if (threads < 0) refuse("threads is " + std::to_string(threads) + "; use 0 (automatic) or more");
  const auto mode = text_in(given_mode);
  if (mode == "fast") {
    read.mode = mode::fast;
  } else if (mode != "exact") {
    refuse("mode is " + text_of(given_mode) + "; use \"exact\" or \"fast\"");
  }
  const auto device = text_in(given_device);
  if (device != "auto") read.device = device == "cpu" ? device::cpu : device::cuda;
  if (device.starts_with("cuda:") && device.size() > 5 && device.size() < 9 &&
      device.find_first_not_of("0123456789", 5) == std::string_view::npos) {
    read.device_index = std::stoi(std::string(device.substr(5)));
  } else if (device != "auto" && device != "cpu" && device != "cuda") {
    refuse("device is " + text_of(given_device) + "; use \"auto\", \"cpu\", \"cuda\" or \"cuda:N\"");
  }
  if (read.device == device::cuda) require_gpu_engine(std::string(what) + ": device is " + std::string(device));
  return read;
}

void refuse_stream(nb::handle stream, const operand& a, const char* what) {
  if (stream.is_none()) return;
  throw_python(false, std::string(what) + ": stream is for vectors in a GPU's memory; leave it out (a is " +
                          describe(a.object) + ")");
}

void refuse_pair(const refusal& refused, PyObject* a, PyObject* b, const char* what) {
  throw_python(refused.is_type_error,
               std::string(what) + ": " + refused.why + " (a is " + describe(a) + "; b is " + describe(b) + ")");
}

void locate_pair(nb::handle first, nb::handle second, operand& a, operand& b, const char* what) {
  const auto locate = [&](operand& one, nb::handle object, const char* name) {
    try {
      one.locate(object.ptr());
    } catch (const refusal& refused) {
      refuse_pair({refused.is_type_error, std::string(name) + ": " + refused.why}, first.ptr(), second.ptr(), what);
    }
  };
  locate(a, first, "a");
  locate(b, second, "b");
  if (a.on_gpu != b.on_gpu) {
    refuse_pair({false, std::string("a lies in the memory of ") + place(a) + ", b in that of " + place(b) +
                            "; bring one to the other"},
                first.ptr(), second.ptr(), what);
  }
}

void check_pair(const operand& a, const operand& b, const char* what) {
  const auto refuse = [&](bool is_type_error, const std::string& why) {
    refuse_pair({is_type_error, why}, a.object, b.object, what);
  };
  if (a.dimensions != 1 || b.dimensions != 1) {
    refuse(false, std::string(a.dimensions != 1 ? "a" : "b") + ": of no dimension; both have to be 1-D");
  }
  if (a.type != b.type) {
    refuse(true,
           "a holds " + std::string(name_of(a.type)) + ", b " + std::string(name_of(b.type)) + "; convert one");
  }
  if (a.n != b.n) {
    refuse(false, "the vectors differ in length: " + std::to_string(a.n) + " and " + std::to_string(b.n));
  }
  if (a.on_gpu && a.device != b.device) {
    refuse(false, "a lies on GPU " + std::to_string(a.device) + ", b on GPU " + std::to_string(b.device) +
                      "; bring one to the other");
  }
}

stream_choice import_pair(operand& a, operand& b, operand* out, const options& options, nb::handle stream_given,
                          const char* what) {
  const auto refuse_device = [&](const std::string& device) {
    refuse_pair({false, "device is " + device + ", but a lies in the memory of GPU " + std::to_string(a.device)},
                a.object, b.object, what);
  };
  for (operand* one : {&a, &b, out}) {
    if (one != nullptr && one->device < 0) find_device(*one, what);
  }
  if (options.device == device::cpu) refuse_device("cpu");
  if (options.device == device::cuda && options.device_index != a.device) {
    refuse_device("cuda:" + std::to_string(options.device_index));
  }
  const auto stream = choose_stream(stream_given, {out, &a, &b}, what);
  for (operand* one : {&a, &b, out}) {
    if (one == nullptr) continue;
    try {
      one->import_on(stream.handle);
    } catch (const refusal& refused) {
      refuse_pair({refused.is_type_error, (one == &a   ? "a: "
                                           : one == &b ? "b: "
                                                       : "out: ") +
                                              refused.why},
                  a.object, b.object, what);
    }
    if (one->is_torch && stream.framework != "torch") one->producer_stream = torch_stream(one->device);
    if (one->producer_stream >= 0) order_after_producer(*one, stream.handle);
  }
  check_pair(a, b, what);
  return stream;
}

}  // namespace exactdot::python

#include <python/src/arguments.hpp>
#include <python/src/gpu_dot.hpp>

namespace exactdot::python {
namespace {

std::string text_of(nb::handle value) { return nb::cast<std::string>(nb::str(value)); }

const char* place(const operand& vector) { return vector.on_gpu ? "a GPU" : "the CPU"; }

}  // namespace

dtype read_dtype(nb::handle value, const char* what) {
  std::string name;
  if (PyUnicode_Check(value.ptr())) {
    name = nb::cast<std::string>(value);
  } else if (PyType_Check(value.ptr())) {
    name = text_of(value.attr("__name__"));
    if (name == "float") name = "float64";
  } else {
    name = text_of(value);
    name = name.substr(name.rfind('.') + 1);  // torch.float64
  }
  if (name == "float32") return dtype::float32;
  if (name == "float64") return dtype::float64;
  throw nb::value_error((std::string(what) + ": dtype is " + name + "; use \"float32\" or \"float64\"").c_str());
}

options read_options(nb::handle given_mode, int threads, nb::handle given_device, const char* what) {
  const std::string name = what;
  options read;
  read.threads = threads;
  if (threads < 0) {
    throw nb::value_error(
        (name + ": threads is " + std::to_string(threads) + "; use 0 (automatic) or more").c_str());
  }
  const char* const mode_name = PyUnicode_Check(given_mode.ptr()) ? PyUnicode_AsUTF8(given_mode.ptr()) : nullptr;
  const std::string_view mode_text = mode_name != nullptr ? mode_name : "";
  if (mode_text == "fast") {
    read.mode = mode::fast;
  } else if (mode_text != "exact") {
    throw nb::value_error((name + ": mode is " + text_of(given_mode) + "; use \"exact\" or \"fast\"").c_str());
  }
  const char* const device_name =
      PyUnicode_Check(given_device.ptr()) ? PyUnicode_AsUTF8(given_device.ptr()) : nullptr;
  const std::string_view device_text = device_name != nullptr ? device_name : "";
  if (device_text == "auto") return read;
  if (device_text == "cpu") {
    read.device = device::cpu;
    return read;
  }
  read.device = device::cuda;
  if (device_text == "cuda") return read;
  if (device_text.starts_with("cuda:") && device_text.size() > 5 && device_text.size() < 9 &&
      device_text.find_first_not_of("0123456789", 5) == std::string_view::npos) {
    read.device_index = std::stoi(std::string(device_text.substr(5)));
    return read;
  }
  throw nb::value_error(
      (name + ": device is " + text_of(given_device) + "; use \"auto\", \"cpu\", \"cuda\" or \"cuda:N\"").c_str());
}

void refuse_stream(nb::handle stream, const operand& a, const char* what) {
  if (stream.is_none()) return;
  throw nb::value_error((std::string(what) + ": stream is for vectors in a GPU's memory; leave it out (a is " +
                         describe(a.object) + ")")
                            .c_str());
}

void refuse_pair(const refusal& refused, PyObject* a, PyObject* b, const char* what) {
  const std::string sentence =
      std::string(what) + ": " + refused.why + " (a is " + describe(a) + "; b is " + describe(b) + ")";
  if (refused.is_type_error) throw nb::type_error(sentence.c_str());
  throw nb::value_error(sentence.c_str());
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
    refuse(true, std::string("a holds ") + name_of(a.type) + ", b " + name_of(b.type) + "; convert one");
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

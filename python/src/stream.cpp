// PyTorch and CuPy have a current stream for each device and thread; JAX has none to ask for, and orders what it
// exports on the stream that __dlpack__ is told. Sources: the DLPack and CUDA array interface (version 3)
// protocols.
#include <python/src/arguments.hpp>
#include <python/src/stream.hpp>

namespace exactdot::python {
namespace {

std::intptr_t handle_of(nb::handle given, const char* what) {
  if (PyLong_Check(given.ptr())) return nb::cast<std::intptr_t>(given);
  if (nb::hasattr(given, "__cuda_stream__")) {
    return nb::cast<std::intptr_t>(nb::cast<nb::tuple>(given.attr("__cuda_stream__")())[1]);
  }
  for (const char* name : {"cuda_stream", "ptr"}) {
    if (nb::hasattr(given, name)) return nb::cast<std::intptr_t>(given.attr(name));
  }
  throw_python(true, std::string(what) + ": stream is a " + describe(given.ptr()) +
                         "; give an integer handle, or an object with __cuda_stream__, cuda_stream or ptr");
}

}  // namespace

std::string framework_of(PyObject* object) {
  const nb::handle type(reinterpret_cast<PyObject*>(Py_TYPE(object)));
  const std::string module = nb::cast<std::string>(nb::str(type.attr("__module__")));
  return module.substr(0, module.find('.'));
}

std::intptr_t torch_stream(int device) {
  const nb::object stream = nb::module_::import_("torch").attr("cuda").attr("current_stream")(device);
  return plain_stream(nb::cast<std::intptr_t>(stream.attr("cuda_stream")));
}

stream_choice choose_stream(nb::handle given, std::initializer_list<const operand*> operands, const char* what) {
  if (given.is_valid() && !given.is_none()) return {plain_stream(handle_of(given, what)), ""};
  for (const operand* one : operands) {
    if (one == nullptr || !one->on_gpu) continue;
    const std::string framework = one->is_torch ? "torch" : framework_of(one->object);
    if (framework == "torch") return {torch_stream(one->device), framework};
    if (framework == "cupy") {
      const nb::object cuda = nb::module_::import_("cupy").attr("cuda");
      const nb::object device = cuda.attr("Device")(one->device);
      device.attr("__enter__")();  // the current stream is one of the current device
      const nb::object stream = cuda.attr("get_current_stream")();
      device.attr("__exit__")(nb::none(), nb::none(), nb::none());
      return {plain_stream(nb::cast<std::intptr_t>(stream.attr("ptr"))), framework};
    }
  }
  for (const operand* one : operands) {
    if (one != nullptr && one->producer_stream >= 0) return {plain_stream(one->producer_stream), ""};
  }
  return {};
}

}  // namespace exactdot::python

// PyTorch and CuPy have a current stream per device and thread. JAX has none; it orders an exported array before
// the stream passed to __dlpack__. Sources: the DLPack and CUDA array interface (version 3) protocols.
#include <python/src/arguments.hpp>
#include <python/src/stream.hpp>

namespace exactdot::python {
namespace {

std::intptr_t stream_handle_of(nb::handle given, const char* caller) {
  const auto handle_in = [&](const nb::object& value, const char* where) {
    std::intptr_t handle = 0;
    if (nb::try_cast(value, handle)) return handle;
    throw_python(true,
                 std::string(caller) + ": stream" + where + " is " + text_of(value) + "; use an integer handle");
  };
  if (PyLong_Check(given.ptr())) return handle_in(nb::borrow(given), "");
  if (nb::hasattr(given, "__cuda_stream__")) {
    const nb::object pair = given.attr("__cuda_stream__")();
    const bool is_pair = PyTuple_Check(pair.ptr()) != 0 && NB_TUPLE_GET_SIZE(pair.ptr()) == 2;
    return handle_in(is_pair ? nb::borrow(NB_TUPLE_GET_ITEM(pair.ptr(), 1)) : pair, ".__cuda_stream__()");
  }
  for (const char* name : {"cuda_stream", "ptr"}) {
    if (nb::hasattr(given, name)) return handle_in(given.attr(name), ("." + std::string(name)).c_str());
  }
  throw_python(true, std::string(caller) + ": stream is a " + describe(given.ptr()) +
                         "; use an integer handle, or an object with __cuda_stream__, cuda_stream or ptr");
}

}  // namespace

std::string framework_of(PyObject* object) {
  const nb::handle type(reinterpret_cast<PyObject*>(Py_TYPE(object)));
  const std::string module = text_of(type.attr("__module__"));
  return module.substr(0, module.find('.'));
}

stream_choice choose_stream(nb::handle given, const std::vector<const imported_array*>& arrays,
                            const char* caller) {
  if (given.is_valid() && !given.is_none()) return {canonical_stream(stream_handle_of(given, caller)), ""};
  for (const imported_array* array : arrays) {
    if (array == nullptr || !array->on_gpu) continue;
    const std::string framework = array->is_torch ? "torch" : framework_of(array->object);
    if (framework == "torch") return {torch_stream(array->device), framework};
    if (framework == "cupy") {
      const nb::object cuda = nb::module_::import_("cupy").attr("cuda");
      const nb::object device = cuda.attr("Device")(array->device);
      device.attr("__enter__")();  // CuPy's current stream belongs to its current device
      const nb::object stream = cuda.attr("get_current_stream")();
      device.attr("__exit__")(nb::none(), nb::none(), nb::none());
      return {canonical_stream(nb::cast<std::intptr_t>(stream.attr("ptr"))), framework};
    }
  }
  for (const imported_array* array : arrays) {
    if (array != nullptr && array->producer_stream >= 0) return {canonical_stream(array->producer_stream), ""};
  }
  return {};
}

}  // namespace exactdot::python

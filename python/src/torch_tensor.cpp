// Imports PyTorch's tensors: by PyTorch's C functions, or else by attributes, which together take half a
// microsecond; __dlpack__ costs more than a short sum.
//
// Names are interned once. What both refuse (a sparse or a fake tensor, an element type that is not known) is left
// to __dlpack__, whose messages name it.
#include <python/src/element_formats.hpp>
#include <python/src/gil.hpp>
#include <python/src/imported_array.hpp>
#include <python/src/known_types.hpp>
#include <python/src/stream.hpp>
#include <python/src/torch_tensor.hpp>

namespace exactdot::python {

const tensor_names& names_of_tensors() {
  static const auto* const all = new tensor_names;
  return *all;
}

namespace {

/// PyTorch's table, of the version that is known; null if it has none.
const dlpack::exchange_api* exchange_of_torch() {
  static PyObject *capsule = nullptr, *tensor = nullptr;
  static const dlpack::exchange_api* table = nullptr;
  static bool has_looked = false;
  if (has_looked) return table;
  PyObject* const type = loaded_attribute(tensor, "torch", "Tensor");
  if (type == nullptr) return nullptr;
  has_looked = true;
  capsule = PyObject_GetAttrString(type, "__dlpack_c_exchange_api__");  // never released, as the table is used
  const void* const found = capsule != nullptr ? PyCapsule_GetPointer(capsule, "dlpack_exchange_api") : nullptr;
  PyErr_Clear();
  const auto* api = static_cast<const dlpack::exchange_api*>(found);
  while (api != nullptr && api->major > dlpack::known_major) api = api->previous;
  if (api != nullptr && api->major == dlpack::known_major && api->describe != nullptr) table = api;
  return table;
}

}  // namespace

bool has_plain_type(PyObject* object) {
  static PyObject *tensor = nullptr, *parameter = nullptr;
  auto* const type = reinterpret_cast<PyObject*>(Py_TYPE(object));
  return type == loaded_attribute(tensor, "torch", "Tensor") ||
         type == loaded_attribute(parameter, "torch.nn", "Parameter");
}

std::optional<tensor_type> read_torch_dtype(PyObject* dtype) {
  static PyObject* types[elements.size()] = {};
  static PyObject* boolean = nullptr;
  for (const element_info& known : elements) {
    if (dtype == loaded_attribute(types[static_cast<std::size_t>(known.type)], "torch", known.name.data())) {
      return tensor_type{known.type, false};
    }
  }
  if (dtype == loaded_attribute(boolean, "torch", "bool")) return tensor_type{element_type::uint8, true};
  return std::nullopt;
}

namespace {

/// What a method returned. Throws the error that it raised.
nb::object valid(nb::object found) {
  if (!found.is_valid()) throw nb::python_error();
  return found;
}
bool answers_yes(const nb::object& found) { return PyObject_IsTrue(valid(found).ptr()) == 1; }

bool describe_by_functions(const dlpack::exchange_api& torch, PyObject* object, plain_tensor& x) {
  dlpack::tensor found;
  if (torch.describe(object, &found) != 0) {
    PyErr_Clear();
    return false;
  }
  const auto type = read_dlpack_type(found.type);
  if (!type || found.dimensions > plain_tensor::max_dimensions) return false;
  x.type = *type, x.is_boolean = found.type.code == dlpack::boolean;
  if (size_of(*type) == 1 && is_integer(*type) && !x.is_boolean) {  // integers of 1 to 7 bits are called so, too
    const auto named = read_torch_dtype(names_of_tensors().dtype.of(object).ptr());
    if (!named || named->type != *type) return false;
  }
  x.device = found.device;
  x.data = static_cast<char*>(found.data) + found.byte_offset;
  x.dimensions = found.dimensions;
  std::copy_n(found.shape, found.dimensions, x.shape.begin());
  std::copy_n(found.strides, found.dimensions, x.strides.begin());
  return x.is_in_cuda_memory() || x.device.type == dlpack::cpu || x.device.type == dlpack::cuda_host;
}

/// Copies a tuple of at most so many integers, and returns how many; -1 if it is none.
int read_integers(const nb::object& tuple, std::array<std::int64_t, plain_tensor::max_dimensions>& numbers) {
  if (!tuple.is_valid() || PyTuple_Check(tuple.ptr()) == 0) return -1;
  const Py_ssize_t count = PyTuple_Size(tuple.ptr());
  if (count > plain_tensor::max_dimensions) return -1;
  for (Py_ssize_t i = 0; i < count; ++i) {
    numbers[static_cast<std::size_t>(i)] = PyLong_AsLongLong(PyTuple_GetItem(tuple.ptr(), i));
  }
  return PyErr_Occurred() == nullptr ? static_cast<int>(count) : -1;
}

bool describe_by_attributes(PyObject* object, plain_tensor& x) {
  const tensor_names& of = names_of_tensors();
  const bool is_cuda = answers_yes(of.is_cuda.of(object));
  if (!is_cuda && !answers_yes(of.is_cpu.of(object))) return false;
  const auto type = read_torch_dtype(valid(of.dtype.of(object)).ptr());
  const nb::object address = of.data_ptr.called(object);
  if (!type || !address.is_valid()) return false;
  x.type = type->type, x.is_boolean = type->is_boolean;
  x.device = {is_cuda ? dlpack::cuda : dlpack::cpu,
              is_cuda ? nb::cast<int>(valid(of.get_device.called(object))) : 0};
  x.data = reinterpret_cast<void*>(nb::cast<std::uintptr_t>(address));
  x.dimensions = read_integers(of.shape.of(object), x.shape);
  return x.dimensions >= 0 && read_integers(of.stride.called(object), x.strides) == x.dimensions;
}

}  // namespace

bool describe_tensor(PyObject* object, plain_tensor& x) {
  const dlpack::exchange_api* const torch = has_plain_type(object) ? exchange_of_torch() : nullptr;
  x.object = object;
  x.storage = names_of_tensors().untyped_storage.called(object);
  const bool is_described = x.storage.is_valid() && (torch != nullptr ? describe_by_functions(*torch, object, x)
                                                                      : describe_by_attributes(object, x));
  PyErr_Clear();
  if (!is_described || x.data != nullptr) return is_described;
  return std::find(x.shape.begin(), x.shape.begin() + x.dimensions, 0) !=
         x.shape.begin() + x.dimensions;  // else zeros that have no memory
}

void imported_array::take_tensor(const plain_tensor& x) {
  on_gpu = is_torch = x.is_in_cuda_memory();
  if (on_gpu) device = x.device.index;
  type = x.type, is_boolean = x.is_boolean;
  owner_ = x.storage;
  set_shape(x.dimensions, x.shape.data());
  set_data(x.data);
  set_strides(x.strides.data(), static_cast<std::ptrdiff_t>(size_of(type)));
  is_imported_ = true;
}

/// Returns false for a tensor that __dlpack__ has to check. No stream needs ordering: a call on GPU memory runs on
/// PyTorch's current one.
bool imported_array::read_torch() {
  const finalization_guard guard;
  const tensor_names& of = names_of_tensors();
  if (answers_yes(of.requires_grad.of(object))) {
    throw invalid_array{true, "requires a gradient, which this package does not compute; pass its detach()"};
  }
  if (answers_yes(of.is_neg.called(object))) {  // PyTorch would export the view without its sign
    throw invalid_array{true, "is a view that PyTorch has not negated yet; call its method resolve_neg() first"};
  }
  plain_tensor tensor;
  if (describe_tensor(object, tensor)) {
    take_tensor(tensor);
    return true;
  }
  const bool is_cuda = answers_yes(of.is_cuda.of(object));
  if (!is_cuda && !answers_yes(of.is_cpu.of(object))) {
    throw invalid_array{true, "is on PyTorch's device " + text_of(valid(of.device.of(object))) +
                                  ", which is neither a CPU nor CUDA; pass its cpu(), if it has elements"};
  }
  if (takes_complex && is_cuda && answers_yes(of.is_complex.called(object))) on_gpu = is_complex = true;
  return is_complex;
}

/// By PyTorch's C function, or the one that its own compiled code calls; the Python object of a stream takes
/// microseconds.
std::intptr_t torch_stream(int device) {
  static PyObject* raw = nullptr;
  if (const dlpack::exchange_api* const torch = exchange_of_torch()) {
    void* stream = nullptr;
    if (torch->find_current_stream(dlpack::cuda, device, &stream) == 0) {
      return canonical_stream(reinterpret_cast<std::intptr_t>(stream));
    }
    PyErr_Clear();
  }
  PyObject* const current = loaded_attribute(raw, "torch._C", "_cuda_getCurrentRawStream");
  const nb::object index = nb::int_(device);
  if (current != nullptr) {
    PyObject* const argument = index.ptr();
    const nb::object handle = nb::steal(PyObject_Vectorcall(current, &argument, 1, nullptr));
    if (handle.is_valid()) return canonical_stream(nb::cast<std::intptr_t>(handle));
    PyErr_Clear();
  }
  const nb::object stream = nb::module_::import_("torch").attr("cuda").attr("current_stream")(index);
  return canonical_stream(nb::cast<std::intptr_t>(stream.attr("cuda_stream")));
}

}  // namespace exactdot::python

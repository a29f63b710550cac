// Imports PyTorch's tensors: by PyTorch's C functions, or else by methods, which together take a microsecond;
// __dlpack__ costs more than a short sum.
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
  static PyObject* capsule = nullptr;
  static const dlpack::exchange_api* known = nullptr;
  static bool has_looked = false;
  static PyObject* tensor = nullptr;
  if (has_looked) return known;
  PyObject* const type = loaded_attribute(tensor, "torch", "Tensor");
  if (type == nullptr) return nullptr;
  has_looked = true;
  capsule = PyObject_GetAttrString(type, "__dlpack_c_exchange_api__");  // never released, as the table is used
  const void* const table = capsule != nullptr ? PyCapsule_GetPointer(capsule, "dlpack_exchange_api") : nullptr;
  PyErr_Clear();
  known = static_cast<const dlpack::exchange_api*>(table);
  while (known != nullptr && known->major > dlpack::known_major) known = known->previous;
  if (known != nullptr && (known->major < dlpack::known_major || known->describe == nullptr)) known = nullptr;
  return known;
}

}  // namespace

bool has_plain_type(PyObject* object) {
  static PyObject *tensor = nullptr, *parameter = nullptr;
  auto* const type = reinterpret_cast<PyObject*>(Py_TYPE(object));
  return type == loaded_attribute(tensor, "torch", "Tensor") ||
         type == loaded_attribute(parameter, "torch.nn", "Parameter");
}

bool describe_tensor(PyObject* object, plain_tensor& x) {
  const dlpack::exchange_api* const torch = exchange_of_torch();
  dlpack::tensor found;
  if (torch == nullptr || !has_plain_type(object)) return false;
  if (torch->describe(object, &found) != 0) {
    PyErr_Clear();
    return false;
  }
  const auto type = read_dlpack_type(found.type);
  if (!type || found.dimensions > plain_tensor::max_dimensions) return false;
  x.object = object;
  x.type = *type, x.is_boolean = found.type.code == dlpack::boolean;
  x.place = found.device;
  x.data = static_cast<char*>(found.data) + found.byte_offset;
  x.dimensions = found.dimensions;
  std::copy_n(found.shape, found.dimensions, x.shape.begin());
  std::copy_n(found.strides, found.dimensions, x.strides.begin());
  return x.is_in_cuda_memory() || x.place.type == dlpack::cpu || x.place.type == dlpack::cuda_host;
}

bool read_integers(const nb::object& tuple, std::vector<std::int64_t>& numbers) {
  if (!tuple.is_valid() || PyTuple_Check(tuple.ptr()) == 0) return false;
  const Py_ssize_t count = PyTuple_Size(tuple.ptr());
  numbers.reserve(static_cast<std::size_t>(count));
  for (Py_ssize_t i = 0; i < count; ++i) {
    numbers.push_back(PyLong_AsLongLong(PyTuple_GetItem(tuple.ptr(), i)));
    if (numbers.back() == -1 && PyErr_Occurred() != nullptr) return false;
  }
  return true;
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

}  // namespace

void imported_array::take_tensor(const plain_tensor& x) {
  on_gpu = is_torch = x.is_in_cuda_memory();
  if (on_gpu) device = x.place.index;
  type = x.type, is_boolean = x.is_boolean;
  owner_ = valid(names_of_tensors().untyped_storage.called(
      object));  // keeps the memory even if the tensor is given another one
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
  const nb::object dtype = valid(of.dtype.of(object));
  if (takes_complex && is_cuda && answers_yes(of.is_complex.of(dtype.ptr()))) {
    on_gpu = is_complex = true;
    return true;
  }
  const auto found = read_torch_dtype(dtype.ptr());
  if (!found) return false;
  std::vector<std::int64_t> shape, strides;
  nb::object storage = of.untyped_storage.called(object);
  const nb::object address = storage.is_valid() ? of.data_ptr.called(object) : nb::object();
  const bool has_memory = address.is_valid() && read_integers(of.shape.of(object), shape) &&
                          read_integers(of.stride.called(object), strides) && shape.size() == strides.size();
  if (!has_memory) {
    PyErr_Clear();
    return false;
  }
  on_gpu = is_torch = is_cuda;
  if (is_cuda) device = nb::cast<int>(valid(of.get_device.called(object)));
  type = found->type, is_boolean = found->is_boolean;
  owner_ = std::move(storage);
  set_shape(static_cast<int>(shape.size()), shape.data());
  set_data(reinterpret_cast<void*>(nb::cast<std::uintptr_t>(address)));
  set_strides(strides.data(), static_cast<std::ptrdiff_t>(size_of(type)));
  return is_imported_ = true;
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

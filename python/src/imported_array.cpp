// Imports arrays by the buffer protocol, DLPack and __cuda_array_interface__.
//
// NumPy arrays use the buffer protocol, the fastest. Other objects are asked for their device first, because some
// support the buffer protocol only while they are in host memory.
// Sources: PEP 3118, the DLPack specification, the CUDA array interface (version 3).
#include <bit>
#include <cstring>
#include <optional>
#include <python/src/gil.hpp>
#include <python/src/imported_array.hpp>

namespace exactdot::python {
namespace {

/// An attribute of a module, cached in `cache`; null while the module is not imported, when no object can have one
/// of its types. Does not import it: an import may release the GIL in the middle of a call.
PyObject* loaded_attribute(PyObject*& cache, const char* module, const char* name) {
  if (cache != nullptr) return cache;
  const nb::object module_name = nb::steal(PyUnicode_FromString(module));
  const nb::object imported = nb::steal(PyImport_GetModule(module_name.ptr()));
  if (imported.is_valid()) cache = PyObject_GetAttrString(imported.ptr(), name);
  if (cache == nullptr) PyErr_Clear();  // also late in finalization, when Python has no modules
  return cache;
}

bool has_type(PyObject* object, PyObject* type) { return reinterpret_cast<PyObject*>(Py_TYPE(object)) == type; }

bool is_numpy_array(PyObject* object) {
  static PyObject* type = nullptr;
  return has_type(object, loaded_attribute(type, "numpy", "ndarray"));
}

bool is_torch_tensor(PyObject* object) {
  static PyObject* type = nullptr;
  return has_type(object, loaded_attribute(type, "torch", "Tensor"));
}

/// object.name, or an invalid object on AttributeError. Any other exception is thrown.
nb::object find_attribute(PyObject* object, const char* name) {
  const finalization_guard guard;
  nb::object found = nb::steal(PyObject_GetAttrString(object, name));
  if (found.is_valid()) return found;
  if (PyErr_ExceptionMatches(PyExc_AttributeError) == 0) throw nb::python_error();
  PyErr_Clear();
  return found;
}

/// The first element type whose properties match.
template <class Matches>
std::optional<element_type> find_type(Matches matches) {
  for (const element_info& known : carriers) {
    if (matches(known)) return known.type;
  }
  return std::nullopt;
}

/// Whether a byte order, as Python's struct module and NumPy write it, is not this machine's.
bool is_swapped(char order) {
  constexpr bool little = std::endian::native == std::endian::little;
  return (order == '<' && !little) || ((order == '>' || order == '!') && little);
}

/// Reads a format of the struct module: one element type, with a byte order. False for any other format.
bool read_format(const char* format, element_type& type, bool& swapped) {
  if (format == nullptr) return false;
  char order = '@';
  if (std::strchr("@=<>!", *format) != nullptr && *format != '\0') order = *format++;
  const auto found =
      find_type([&](const element_info& known) { return known.struct_format == *format && format[1] == '\0'; });
  if (*format == '\0' || !found) return false;
  type = *found;
  swapped = is_swapped(order);
  return true;
}

invalid_array masked_array() { return {true, "is a masked array; fill or compress it first"}; }

invalid_array wrong_type(const std::string& found) {
  return {true, "elements are " + found + ", not " + element_type_names()};
}

}  // namespace

std::string element_type_names() {
  std::string names;
  for (const element_info& known : carriers) {
    if (&known != &carriers.front()) names += &known == &carriers.back() ? " or " : ", ";
    names += known.name;
  }
  return names;
}

bool is_masked(PyObject* object) {
  static PyObject* found = nullptr;
  PyObject* const type = loaded_attribute(found, "numpy.ma", "MaskedArray");
  if (type == nullptr) return false;
  const int is = PyObject_IsInstance(object, type);
  if (is < 0) throw nb::python_error();
  return is == 1;
}

imported_array::~imported_array() {
  if (buffer_.obj != nullptr) PyBuffer_Release(&buffer_);
  if (managed_ != nullptr && managed_->deleter != nullptr) managed_->deleter(managed_);
  if (versioned_ != nullptr && versioned_->deleter != nullptr) versioned_->deleter(versioned_);
}

namespace {

/// producer.__dlpack__(**arguments), of version 1 if the producer supports it.
nb::object export_dlpack(PyObject* producer, const nb::dict& arguments) {
  const nb::object method = nb::handle(producer).attr("__dlpack__");
  nb::dict with_version;
  with_version.update(arguments);
  with_version["max_version"] = nb::make_tuple(1, 0);
  const finalization_guard guard;
  try {
    return method(**with_version);
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_TypeError)) throw;  // else the producer is older than version 1
    return method(**arguments);
  }
}

}  // namespace

void imported_array::locate(PyObject* source) {
  object = source;
  if (is_numpy_array(source)) return read_buffer();
  if (is_torch_tensor(source) && read_torch()) return;
  if (is_masked(source)) throw masked_array();
  if (const nb::object device_of = find_attribute(source, "__dlpack_device__"); device_of.is_valid()) {
    const finalization_guard guard;
    const nb::object type_and_index = device_of();
    int kind = 0;
    if (!PyTuple_Check(type_and_index.ptr()) || PyTuple_GET_SIZE(type_and_index.ptr()) != 2 ||
        !nb::try_cast(nb::object(type_and_index[0]), kind) ||
        !nb::try_cast(nb::object(type_and_index[1]), device)) {
      throw invalid_array{true, "__dlpack_device__ does not return a pair of integers"};
    }
    on_gpu = kind == dlpack::cuda || kind == dlpack::cuda_managed;
    if (on_gpu) return;
    if (kind != dlpack::cpu && kind != dlpack::cuda_host) {
      throw invalid_array{true,
                          "its DLPack device type " + std::to_string(kind) + " is neither a CPU's nor CUDA's"};
    }
    if (PyObject_CheckBuffer(source) != 0) return read_buffer();
    return read_dlpack(export_dlpack(source, {}));
  }
  if (const nb::object interface = find_attribute(source, "__cuda_array_interface__"); interface.is_valid()) {
    on_gpu = true;
    return read_cuda_array_interface(interface);
  }
  if (PyObject_CheckBuffer(source) != 0) return read_buffer();
  throw invalid_array{true, "not a vector; use a 1-D vector of " + element_type_names() +
                                " with the buffer protocol (NumPy, array.array, memoryview), DLPack or "
                                "__cuda_array_interface__ (PyTorch, CuPy, JAX)"};
}

void imported_array::import_on(std::intptr_t stream) {
  if (!on_gpu || is_imported_) return;
  nb::dict arguments;
  arguments["stream"] = nb::int_(stream == 0 ? 1 : stream);  // DLPack's number of the legacy default stream is 1
  read_dlpack(export_dlpack(object, arguments));
}

void imported_array::set_shape(int count, const std::int64_t* shape) {
  if (count > 1) throw invalid_array{false, "has " + std::to_string(count) + " dimensions; use a 1-D array"};
  if (count < 0 || (count == 1 && shape[0] < 0)) throw invalid_array{true, "has a negative length"};
  dimensions = count;
  n = count == 0 ? 1 : static_cast<std::size_t>(shape[0]);
}

void imported_array::set_data(void* address) {
  if (address == nullptr && n != 0) throw invalid_array{true, "has a null pointer as data"};
  data = address;
}

void imported_array::read_buffer() {
  if (PyObject_GetBuffer(object, &buffer_, PyBUF_RECORDS_RO) != 0) {
    buffer_.obj = nullptr;
    const nb::python_error reason;
    if (!reason.matches(PyExc_BufferError) && !reason.matches(PyExc_ValueError) &&
        !reason.matches(PyExc_TypeError)) {
      throw reason;
    }
    throw invalid_array{true, "exports no buffer: " + text_of(reason.value())};
  }
  if (!read_format(buffer_.format, type, swapped)) {
    throw wrong_type(std::string("of format '") + (buffer_.format != nullptr ? buffer_.format : "B") + "'");
  }
  const std::int64_t length = buffer_.ndim > 0 ? buffer_.shape[0] : 1;
  set_shape(buffer_.ndim, &length);
  set_data(buffer_.buf);
  read_only = buffer_.readonly != 0;
  const bool has_stride = buffer_.ndim > 0 && buffer_.strides != nullptr;  // ctypes arrays have none
  stride = has_stride ? buffer_.strides[0] : static_cast<std::ptrdiff_t>(size_of(type));
}

void imported_array::read_dlpack(nb::object capsule) {
  const dlpack::tensor* tensor = nullptr;
  if (PyCapsule_IsValid(capsule.ptr(), "dltensor_versioned") != 0) {
    auto* const found =
        static_cast<dlpack::managed_versioned*>(PyCapsule_GetPointer(capsule.ptr(), "dltensor_versioned"));
    if (found->major > dlpack::known_major) throw invalid_array{true, "has a DLPack capsule of a version after 1"};
    versioned_ = found;
    PyCapsule_SetName(capsule.ptr(), "used_dltensor_versioned");
    tensor = &found->tensor;
    read_only = (found->flags & dlpack::read_only) != 0;
  } else {
    if (PyCapsule_IsValid(capsule.ptr(), "dltensor") == 0) {
      throw invalid_array{true, "__dlpack__ does not return an unused capsule"};
    }
    managed_ = static_cast<dlpack::managed*>(PyCapsule_GetPointer(capsule.ptr(), "dltensor"));
    PyCapsule_SetName(capsule.ptr(), "used_dltensor");
    tensor = &managed_->tensor;
  }
  capsule_ = std::move(capsule);
  const auto [code, bits, lanes] = tensor->type;
  const auto found = find_type([&](const element_info& known) { return known.bytes * 8 == bits; });
  if (code != dlpack::floating || !found || lanes != 1) {
    throw wrong_type("of DLPack type code " + std::to_string(code) + " with " + std::to_string(bits) +
                     " bits and " + std::to_string(lanes) + (lanes == 1 ? " lane" : " lanes"));
  }
  type = *found;
  const auto kind = tensor->device.type;
  if (on_gpu ? kind != dlpack::cuda && kind != dlpack::cuda_managed
             : kind != dlpack::cpu && kind != dlpack::cuda_host) {
    throw invalid_array{true, "its capsule has DLPack device type " + std::to_string(kind) +
                                  ", its __dlpack_device__ is " + (on_gpu ? "a GPU" : "a CPU")};
  }
  if (tensor->dimensions == 1 && tensor->shape == nullptr) throw invalid_array{true, "has a null pointer as shape"};
  set_shape(tensor->dimensions, tensor->shape);
  set_data(tensor->data);
  if (data != nullptr) data = static_cast<char*>(data) + tensor->byte_offset;
  const std::int64_t step = tensor->strides != nullptr && dimensions == 1 ? tensor->strides[0] : 1;
  stride = step * static_cast<std::ptrdiff_t>(size_of(type));
}

/// Imports a PyTorch tensor on a GPU by its methods: __dlpack__ costs more than a short dot. Returns false for a
/// tensor that __dlpack__ has to check. No stream needs ordering: the call runs on PyTorch's current one.
bool imported_array::read_torch() {
  const nb::handle tensor(object);
  const auto is = [&](const char* name) { return PyObject_IsTrue(nb::object(tensor.attr(name)).ptr()) == 1; };
  if (nb::cast<bool>(tensor.attr("is_neg")())) {  // PyTorch would export the view without its sign
    throw invalid_array{true, "is a view that PyTorch has not negated yet; call its method resolve_neg() first"};
  }
  if (!is("is_cuda") || is("requires_grad")) return false;
  static PyObject* types[carriers.size()] = {};
  const nb::object element = tensor.attr("dtype");
  const auto found = find_type([&](const element_info& known) {
    return element.ptr() ==
           loaded_attribute(types[static_cast<std::size_t>(known.type)], "torch", known.name.data());
  });
  const auto count = nb::cast<int>(tensor.attr("dim")());
  if (!found || count > 1) return false;
  on_gpu = true;
  device = nb::cast<int>(tensor.attr("device").attr("index"));
  type = *found;
  capsule_ = tensor.attr("untyped_storage")();  // keeps the memory even if the tensor is given another storage
  data = reinterpret_cast<void*>(nb::cast<std::uintptr_t>(tensor.attr("data_ptr")()));
  const auto length = nb::cast<std::int64_t>(tensor.attr("numel")());
  set_shape(count, &length);
  const auto step = count == 1 ? nb::cast<std::ptrdiff_t>(tensor.attr("stride")(0)) : 1;
  stride = step * static_cast<std::ptrdiff_t>(size_of(type));
  is_imported_ = is_torch = true;
  return true;
}

namespace {

/// `value` as a V. Throws invalid_array that names the field of __cuda_array_interface__.
template <class V>
V cast_field(nb::handle value, const char* name) {
  V read;
  if (!nb::try_cast(value, read)) {
    throw invalid_array{true, std::string("__cuda_array_interface__ has no valid ") + name};
  }
  return read;
}

/// The integer at `index` of a tuple. Throws invalid_array like cast_field.
template <class Integer>
Integer tuple_integer(const nb::tuple& values, std::size_t index, const char* name) {
  return cast_field<Integer>(index < values.size() ? nb::object(values[index]) : nb::none(), name);
}

}  // namespace

void imported_array::read_cuda_array_interface(const nb::object& value) {
  is_imported_ = true;
  nb::dict interface;
  if (!nb::try_cast(value, interface)) throw invalid_array{true, "__cuda_array_interface__ is not a dict"};
  const auto field = [&](const char* name) -> nb::object {
    return interface.contains(name) ? nb::object(interface[name]) : nb::none();
  };
  const auto text = cast_field<std::string>(field("typestr"), "typestr");
  const auto found = find_type([&](const element_info& known) {
    return text.size() > 1 && text.substr(1) == known.kind + std::to_string(known.bytes);
  });
  if (!found || (text[0] != '<' && text[0] != '>')) throw wrong_type("'" + text + "'");
  type = *found;
  swapped = is_swapped(text[0]);
  if (!field("mask").is_none()) throw masked_array();
  const auto shape = cast_field<nb::tuple>(field("shape"), "shape");
  const std::int64_t length = shape.size() == 0 ? 1 : tuple_integer<std::int64_t>(shape, 0, "shape");
  set_shape(static_cast<int>(shape.size()), &length);
  const auto pointer = cast_field<nb::tuple>(field("data"), "data");
  set_data(reinterpret_cast<void*>(tuple_integer<std::uintptr_t>(pointer, 0, "data")));
  const int is_read_only = pointer.size() > 1 ? PyObject_IsTrue(nb::object(pointer[1]).ptr()) : -1;
  if (is_read_only < 0) {
    PyErr_Clear();
    throw invalid_array{true, "__cuda_array_interface__ has no valid data"};
  }
  read_only = is_read_only == 1;
  stride = static_cast<std::ptrdiff_t>(size_of(type));
  if (const auto strides = field("strides"); !strides.is_none() && dimensions == 1) {
    stride = tuple_integer<std::ptrdiff_t>(cast_field<nb::tuple>(strides, "strides"), 0, "strides");
  }
  if (const auto stream = field("stream"); !stream.is_none()) {
    producer_stream = cast_field<std::intptr_t>(stream, "stream");
    if (producer_stream < 0) throw invalid_array{true, "__cuda_array_interface__ has no valid stream"};
  }
  device = -1;  // the pointer knows
}

std::string text_of(nb::handle value) {
  const finalization_guard guard;
  const nb::object made = nb::steal(PyObject_Str(value.ptr()));
  const nb::object bytes =
      nb::steal(made.is_valid() ? PyUnicode_AsEncodedString(made.ptr(), "utf-8", "backslashreplace") : nullptr);
  if (!bytes.is_valid()) {
    PyErr_Clear();
    return "?";
  }
  return {PyBytes_AsString(bytes.ptr()), static_cast<std::size_t>(PyBytes_Size(bytes.ptr()))};
}

std::string describe(PyObject* object) {
  const finalization_guard guard;
  const auto attribute = [&](const nb::handle of, const char* name) {
    const nb::object found = nb::steal(PyObject_GetAttrString(of.ptr(), name));
    if (!found.is_valid()) PyErr_Clear();
    return found;
  };
  const nb::handle type(reinterpret_cast<PyObject*>(Py_TYPE(object)));
  const nb::object module = attribute(type, "__module__");
  std::string description = module.is_valid() && text_of(module) != "builtins" ? text_of(module) + "." : "";
  description += text_of(attribute(type, "__qualname__"));
  nb::object element = attribute(object, "dtype");
  for (const char* const name : {"typecode", "format"}) {
    if (element.is_valid()) break;
    element = attribute(object, name);
    if (element.is_valid() && PyUnicode_Check(element.ptr()) == 0) element.reset();  // str has a method format
  }
  if (element.is_valid()) description += " of " + text_of(element);
  const nb::object shape = attribute(object, "shape");
  if (shape.is_valid()) {
    const nb::object plain = nb::steal(PySequence_Tuple(shape.ptr()));
    if (!plain.is_valid()) PyErr_Clear();
    description += ", shape " + text_of(plain.is_valid() ? plain : shape);
  } else if (const Py_ssize_t length = PyObject_Length(object); length >= 0) {
    description += ", length " + std::to_string(length);
  } else {
    PyErr_Clear();
  }
  const nb::object device = attribute(object, "device");
  if (device.is_valid()) description += ", on " + text_of(device);
  return description;
}

}  // namespace exactdot::python

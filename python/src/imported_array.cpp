// Reads what an object says about its memory. The buffer protocol comes first for NumPy's arrays, because it is the
// cheapest; for all others the device decides, for some answer the buffer protocol only while they are on a CPU.
#include <bit>
#include <cstring>
#include <optional>
#include <python/src/gil.hpp>
#include <python/src/operand.hpp>

namespace exactdot::python {
namespace {

/// A member of a module, or null while that module is not loaded: then no object can be of its types. `found` keeps
/// it. (No import here: it would let go of the GIL in the middle of a call.)
PyObject* loaded(PyObject*& found, const char* module, const char* name) {
  if (found != nullptr) return found;
  const nb::object text = nb::steal(PyUnicode_FromString(module));
  const nb::object there = nb::steal(PyImport_GetModule(text.ptr()));
  if (there.is_valid()) found = PyObject_GetAttrString(there.ptr(), name);
  if (found == nullptr) PyErr_Clear();  // also where Python has ended so far that it has no modules
  return found;
}

bool is_of(PyObject* object, PyObject* type) { return reinterpret_cast<PyObject*>(Py_TYPE(object)) == type; }

bool is_numpy_array(PyObject* object) {
  static PyObject* type = nullptr;
  return is_of(object, loaded(type, "numpy", "ndarray"));
}

bool is_torch_tensor(PyObject* object) {
  static PyObject* type = nullptr;
  return is_of(object, loaded(type, "torch", "Tensor"));
}

/// object.name, or nothing where there is no such attribute. What else asking for it raises is thrown.
nb::object attribute_of(PyObject* object, const char* name) {
  const stop_at_end guard;
  nb::object found = nb::steal(PyObject_GetAttrString(object, name));
  if (found.is_valid()) return found;
  if (PyErr_ExceptionMatches(PyExc_AttributeError) == 0) throw nb::python_error();
  PyErr_Clear();
  return found;
}

/// The element type that fits.
template <class Fits>
std::optional<element_type> find_type(Fits fits) {
  for (const element_info& known : elements) {
    if (fits(known)) return known.type;
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

refusal wrong_type(const std::string& found) {
  return {true, "elements are " + found + ", not " + element_type_names()};
}

}  // namespace

std::string element_type_names() {
  std::string names;
  for (const element_info& known : elements) {
    if (&known != &elements.front()) names += &known == &elements.back() ? " or " : ", ";
    names += known.name;
  }
  return names;
}

bool is_masked(PyObject* object) {
  static PyObject* found = nullptr;
  PyObject* const type = loaded(found, "numpy.ma", "MaskedArray");
  if (type == nullptr) return false;
  const int is = PyObject_IsInstance(object, type);
  if (is < 0) throw nb::python_error();
  return is == 1;
}

operand::~operand() {
  if (buffer_.obj != nullptr) PyBuffer_Release(&buffer_);
  if (managed_ != nullptr && managed_->deleter != nullptr) managed_->deleter(managed_);
  if (versioned_ != nullptr && versioned_->deleter != nullptr) versioned_->deleter(versioned_);
}

namespace {

/// given.__dlpack__(**how), of version 1 where the producer knows it.
nb::object exported(PyObject* given, const nb::dict& how) {
  const nb::object method = nb::handle(given).attr("__dlpack__");
  nb::dict with_version;
  with_version.update(how);
  with_version["max_version"] = nb::make_tuple(1, 0);
  const stop_at_end guard;
  try {
    return method(**with_version);
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_TypeError)) throw;  // a producer from before version 1
    return method(**how);
  }
}

}  // namespace

void operand::locate(PyObject* given) {
  object = given;
  if (is_numpy_array(given)) return read_buffer();
  if (is_torch_tensor(given) && read_torch()) return;
  if (is_masked(given)) throw refusal{true, "a masked array has no dot product; fill it or compress it first"};
  if (const nb::object device_of = attribute_of(given, "__dlpack_device__"); device_of.is_valid()) {
    const stop_at_end guard;
    const nb::object where = device_of();
    int kind = 0;
    if (!PyTuple_Check(where.ptr()) || PyTuple_GET_SIZE(where.ptr()) != 2 ||
        !nb::try_cast(nb::object(where[0]), kind) || !nb::try_cast(nb::object(where[1]), device)) {
      throw refusal{true, "__dlpack_device__ gives no pair of integers"};
    }
    on_gpu = kind == dlpack::cuda || kind == dlpack::cuda_managed;
    if (on_gpu) return;
    if (kind != dlpack::cpu && kind != dlpack::cuda_host) {
      throw refusal{true,
                    "memory of DLPack's device type " + std::to_string(kind) + " is neither a CPU's nor CUDA's"};
    }
    if (PyObject_CheckBuffer(given) != 0) return read_buffer();
    return read_dlpack(exported(given, {}));
  }
  if (const nb::object interface = attribute_of(given, "__cuda_array_interface__"); interface.is_valid()) {
    on_gpu = true;
    return read_cuda_array_interface(interface);
  }
  if (PyObject_CheckBuffer(given) != 0) return read_buffer();
  throw refusal{true, "not a vector; use a 1-D vector of " + element_type_names() +
                          " with the buffer protocol (NumPy, array.array, memoryview), DLPack or "
                          "__cuda_array_interface__ (PyTorch, CuPy, JAX)"};
}

void operand::import_on(std::intptr_t stream) {
  if (!on_gpu || is_imported_) return;
  nb::dict how;
  how["stream"] = nb::int_(stream == 0 ? 1 : stream);  // DLPack calls the legacy default stream 1
  read_dlpack(exported(object, how));
}

void operand::take_shape(int count, const std::int64_t* shape) {
  if (count > 1) throw refusal{false, "of " + std::to_string(count) + " dimensions, not of one"};
  if (count < 0 || (count == 1 && shape[0] < 0)) throw refusal{true, "of a negative length"};
  dimensions = count;
  n = count == 0 ? 1 : static_cast<std::size_t>(shape[0]);
}

void operand::take_memory(void* address) {
  if (address == nullptr && n != 0) throw refusal{true, "of no memory: its pointer is null"};
  data = address;
}

void operand::read_buffer() {
  if (PyObject_GetBuffer(object, &buffer_, PyBUF_RECORDS_RO) != 0) {
    buffer_.obj = nullptr;
    const nb::python_error reason;
    if (!reason.matches(PyExc_BufferError) && !reason.matches(PyExc_ValueError) &&
        !reason.matches(PyExc_TypeError)) {
      throw reason;
    }
    throw refusal{true, "gives no buffer: " + text_of(reason.value())};
  }
  if (!read_format(buffer_.format, type, swapped)) {
    throw wrong_type(std::string("of format '") + (buffer_.format != nullptr ? buffer_.format : "B") + "'");
  }
  const std::int64_t length = buffer_.ndim > 0 ? buffer_.shape[0] : 1;
  take_shape(buffer_.ndim, &length);
  take_memory(buffer_.buf);
  read_only = buffer_.readonly != 0;
  const bool has_stride = buffer_.ndim > 0 && buffer_.strides != nullptr;  // ctypes gives none
  stride = has_stride ? buffer_.strides[0] : static_cast<std::ptrdiff_t>(size_of(type));
}

void operand::read_dlpack(nb::object capsule) {
  const dlpack::tensor* tensor = nullptr;
  if (PyCapsule_IsValid(capsule.ptr(), "dltensor_versioned") != 0) {
    auto* const found =
        static_cast<dlpack::managed_versioned*>(PyCapsule_GetPointer(capsule.ptr(), "dltensor_versioned"));
    if (found->major > dlpack::known_major) throw refusal{true, "a DLPack capsule of a version after 1"};
    versioned_ = found;
    PyCapsule_SetName(capsule.ptr(), "used_dltensor_versioned");
    tensor = &found->tensor;
    read_only = (found->flags & dlpack::read_only) != 0;
  } else {
    if (PyCapsule_IsValid(capsule.ptr(), "dltensor") == 0) {
      throw refusal{true, "__dlpack__ gives no capsule that nobody has used"};
    }
    managed_ = static_cast<dlpack::managed*>(PyCapsule_GetPointer(capsule.ptr(), "dltensor"));
    PyCapsule_SetName(capsule.ptr(), "used_dltensor");
    tensor = &managed_->tensor;
  }
  capsule_ = std::move(capsule);
  const auto [code, bits, lanes] = tensor->type;
  const auto found = find_type([&](const element_info& known) { return known.bytes * 8 == bits; });
  if (code != dlpack::floating || !found || lanes != 1) {
    throw wrong_type("of DLPack's code " + std::to_string(code) + " with " + std::to_string(bits) + " bits and " +
                     std::to_string(lanes) + (lanes == 1 ? " lane" : " lanes"));
  }
  type = *found;
  const auto kind = tensor->device.type;
  if (on_gpu ? kind != dlpack::cuda && kind != dlpack::cuda_managed
             : kind != dlpack::cpu && kind != dlpack::cuda_host) {
    throw refusal{true, "in memory of DLPack's device type " + std::to_string(kind) +
                            ", and its __dlpack_device__ says " + (on_gpu ? "a GPU's" : "a CPU's")};
  }
  if (tensor->dimensions == 1 && tensor->shape == nullptr) throw refusal{true, "of no shape: its pointer is null"};
  take_shape(tensor->dimensions, tensor->shape);
  take_memory(tensor->data);
  if (data != nullptr) data = static_cast<char*>(data) + tensor->byte_offset;
  const std::int64_t step = tensor->strides != nullptr && dimensions == 1 ? tensor->strides[0] : 1;
  stride = step * static_cast<std::ptrdiff_t>(size_of(type));
}

/// A plain tensor on a GPU, by its own methods: PyTorch's __dlpack__ costs more than a short dot. What it would
/// have ordered or refused is left to it: here the stream is PyTorch's current one (choose_stream).
bool operand::read_torch() {
  const nb::handle tensor(object);
  const auto is = [&](const char* name) { return PyObject_IsTrue(nb::object(tensor.attr(name)).ptr()) == 1; };
  if (nb::cast<bool>(tensor.attr("is_neg")())) {  // PyTorch exports such a view without its sign
    throw refusal{true, "a view that PyTorch has yet to negate; call its method resolve_neg() first"};
  }
  if (!is("is_cuda") || is("requires_grad")) return false;
  static PyObject* types[elements.size()] = {};
  const nb::object element = tensor.attr("dtype");
  const auto found = find_type([&](const element_info& known) {
    return element.ptr() == loaded(types[static_cast<std::size_t>(known.type)], "torch", known.name.data());
  });
  const auto count = nb::cast<int>(tensor.attr("dim")());
  if (!found || count > 1) return false;
  on_gpu = true;
  device = nb::cast<int>(tensor.attr("device").attr("index"));
  type = *found;
  capsule_ = tensor.attr("untyped_storage")();  // stays alive if the tensor is given another
  data = reinterpret_cast<void*>(nb::cast<std::uintptr_t>(tensor.attr("data_ptr")()));
  const auto length = nb::cast<std::int64_t>(tensor.attr("numel")());
  take_shape(count, &length);
  const auto step = count == 1 ? nb::cast<std::ptrdiff_t>(tensor.attr("stride")(0)) : 1;
  stride = step * static_cast<std::ptrdiff_t>(size_of(type));
  is_imported_ = is_torch = true;
  return true;
}

namespace {

/// `value` as a V, or the refusal that names what is wrong with __cuda_array_interface__.
template <class V>
V entry(nb::handle value, const char* name) {
  V read;
  if (!nb::try_cast(value, read)) {
    throw refusal{true, std::string("__cuda_array_interface__ has no valid ") + name};
  }
  return read;
}

/// The integer at `index` of a tuple.
template <class Integer>
Integer integer_in(const nb::tuple& values, std::size_t index, const char* name) {
  return entry<Integer>(index < values.size() ? nb::object(values[index]) : nb::none(), name);
}

}  // namespace

void operand::read_cuda_array_interface(const nb::object& said) {
  is_imported_ = true;
  const auto interface = entry<nb::dict>(said, "dict");
  const auto given = [&](const char* name) -> nb::object {
    return interface.contains(name) ? nb::object(interface[name]) : nb::none();
  };
  const auto text = entry<std::string>(given("typestr"), "typestr");
  const auto found = find_type([&](const element_info& known) {
    return text.size() > 1 && text.substr(1) == known.kind + std::to_string(known.bytes);
  });
  if (!found || (text[0] != '<' && text[0] != '>')) throw wrong_type("'" + text + "'");
  type = *found;
  swapped = is_swapped(text[0]);
  if (!given("mask").is_none()) {
    throw refusal{true, "a masked array has no dot product; fill it or compress it first"};
  }
  const auto shape = entry<nb::tuple>(given("shape"), "shape");
  const std::int64_t length = shape.size() == 0 ? 1 : integer_in<std::int64_t>(shape, 0, "shape");
  take_shape(static_cast<int>(shape.size()), &length);
  const auto place = entry<nb::tuple>(given("data"), "data");
  take_memory(reinterpret_cast<void*>(integer_in<std::uintptr_t>(place, 0, "data")));
  const int is_read_only = place.size() > 1 ? PyObject_IsTrue(nb::object(place[1]).ptr()) : -1;
  if (is_read_only < 0) {
    PyErr_Clear();
    throw refusal{true, "__cuda_array_interface__ has no valid data"};
  }
  read_only = is_read_only == 1;
  stride = static_cast<std::ptrdiff_t>(size_of(type));
  if (const auto strides = given("strides"); !strides.is_none() && dimensions == 1) {
    stride = integer_in<std::ptrdiff_t>(entry<nb::tuple>(strides, "strides"), 0, "strides");
  }
  if (const auto stream = given("stream"); !stream.is_none()) {
    producer_stream = entry<std::intptr_t>(stream, "stream");
    if (producer_stream < 0) throw refusal{true, "__cuda_array_interface__ has no valid stream"};
  }
  device = -1;  // the pointer knows
}

std::string text_of(nb::handle value) {
  const stop_at_end guard;
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
  const stop_at_end guard;
  const auto attribute = [&](const nb::handle of, const char* name) {
    const nb::object found = nb::steal(PyObject_GetAttrString(of.ptr(), name));
    if (!found.is_valid()) PyErr_Clear();
    return found;
  };
  const nb::handle type(reinterpret_cast<PyObject*>(Py_TYPE(object)));
  const nb::object module = attribute(type, "__module__");
  std::string said = module.is_valid() && text_of(module) != "builtins" ? text_of(module) + "." : "";
  said += text_of(attribute(type, "__qualname__"));
  nb::object element = attribute(object, "dtype");
  for (const char* const name : {"typecode", "format"}) {
    if (element.is_valid()) break;
    element = attribute(object, name);
    if (element.is_valid() && PyUnicode_Check(element.ptr()) == 0) element.reset();  // str has a method format
  }
  if (element.is_valid()) said += " of " + text_of(element);
  const nb::object shape = attribute(object, "shape");
  if (shape.is_valid()) {
    const nb::object plain = nb::steal(PySequence_Tuple(shape.ptr()));
    if (!plain.is_valid()) PyErr_Clear();
    said += ", shape " + text_of(plain.is_valid() ? plain : shape);
  } else if (const Py_ssize_t length = PyObject_Length(object); length >= 0) {
    said += ", length " + std::to_string(length);
  } else {
    PyErr_Clear();
  }
  const nb::object device = attribute(object, "device");
  if (device.is_valid()) said += ", on " + text_of(device);
  return said;
}

}  // namespace exactdot::python

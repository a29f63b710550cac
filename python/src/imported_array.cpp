// Imports arrays by the buffer protocol and DLPack; other objects as NumPy converts them.
//
// NumPy arrays use the buffer protocol, the fastest. Other objects are asked for their device first, because some
// support the buffer protocol only while they are in host memory.
// Sources: PEP 3118, the DLPack specification, the CUDA array interface (version 3).
#include <algorithm>
#include <memory>
#include <python/src/arrow_column.hpp>
#include <python/src/gil.hpp>
#include <python/src/import_errors.hpp>
#include <python/src/imported_array.hpp>
#include <python/src/python_numbers.hpp>

namespace exactdot::python {
namespace {

/// An attribute of a module, cached in `cache`; null while the module is not imported, when no object can have one
/// of its types. Does not import it: an import may release the GIL in the middle of a call.
PyObject* loaded_attribute(PyObject*& cache, const char* module, const char* name) {
  if (cache != nullptr) return cache;
  const nb::object module_name = nb::steal(PyUnicode_InternFromString(module));
  const nb::object imported = nb::steal(PyImport_GetModule(module_name.ptr()));
  if (imported.is_valid()) cache = PyObject_GetAttrString(imported.ptr(), name);
  if (cache == nullptr) PyErr_Clear();  // also late in finalization, when Python has no modules
  return cache;
}

bool has_type(PyObject* object, PyObject* type) { return reinterpret_cast<PyObject*>(Py_TYPE(object)) == type; }

/// The way in for objects of a type: those that are known need no search for protocols.
enum class way_in : unsigned char { search, buffer, torch, polars, arrow_chunks, arrow, pandas };

way_in find_way_in(PyTypeObject* type) {
  static PyObject* known[6] = {};
  constexpr struct {
    const char *module, *name;
    way_in way;
  } types[] = {{"numpy", "generic", way_in::buffer},       {"torch", "Tensor", way_in::torch},
               {"polars", "Series", way_in::polars},       {"pyarrow", "ChunkedArray", way_in::arrow_chunks},
               {"pyarrow", "Array", way_in::arrow},        {"pandas", "Series", way_in::pandas}};
  for (std::size_t i = 0; i < std::size(types); ++i) {
    PyObject* const base = loaded_attribute(known[i], types[i].module, types[i].name);
    if (base != nullptr && PyType_IsSubtype(type, reinterpret_cast<PyTypeObject*>(base)) != 0) return types[i].way;
  }
  return way_in::search;
}

/// The same, remembered for the last types, which it keeps alive.
way_in way_in_of(PyObject* object) {
  struct entry {
    PyTypeObject* type;
    way_in way;
  };
  static entry entries[16] = {};
  static unsigned next = 0;
  PyTypeObject* const type = Py_TYPE(object);
  for (const entry& each : entries) {
    if (each.type == type) return each.way;
  }
  const way_in way = find_way_in(type);
  entry& place = entries[next++ % std::size(entries)];
  PyTypeObject* const before = place.type;
  Py_INCREF(reinterpret_cast<PyObject*>(type));
  place = {type, way};
  Py_XDECREF(reinterpret_cast<PyObject*>(before));
  return way;
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

}  // namespace

bool is_numpy_array(PyObject* object) {
  static PyObject* type = nullptr;
  return has_type(object, loaded_attribute(type, "numpy", "ndarray"));
}

bool is_numpy_bool(PyObject* object) {
  static PyObject* type = nullptr;
  return has_type(object, loaded_attribute(type, "numpy", "bool_"));
}

PyObject* numpy_float64() {
  static PyObject* type = nullptr;
  return loaded_attribute(type, "numpy", "float64");
}

std::string dtype_name(PyObject* array) {
  const nb::object dtype = find_attribute(array, "dtype");
  const nb::object name = dtype.is_valid() ? find_attribute(dtype.ptr(), "name") : nb::object();
  return name.is_valid() ? text_of(name) : "";
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

/// Whether a pyarrow.Array lies in another memory than that of the CPU; DLPack tells which.
bool is_on_gpu_in_arrow(PyObject* array) {
  const nb::object is_on_cpu = find_attribute(array, "is_cpu");
  return is_on_cpu.is_valid() && is_on_cpu.ptr() == Py_False;
}

/// producer.__dlpack__(**arguments), of version 1 if the producer supports it. Throws invalid_array if it refuses.
nb::object export_dlpack(PyObject* producer, const nb::dict& arguments) {
  const nb::object method = nb::handle(producer).attr("__dlpack__");
  nb::dict with_version;
  with_version.update(arguments);
  with_version["max_version"] = nb::make_tuple(1, 0);
  const finalization_guard guard;
  try {
    try {
      return method(**with_version);
    } catch (nb::python_error& error) {
      if (!error.matches(PyExc_TypeError)) throw;  // else the producer is older than version 1
      return method(**arguments);
    }
  } catch (nb::python_error& refused) {
    if (!refused.matches(PyExc_BufferError)) throw;
    throw invalid_array{true, "does not export its memory: " + text_of(refused.value())};
  }
}

}  // namespace

/// Reads an object of a type that is known. Returns false for others.
bool imported_array::read_known_type() {
  switch (way_in_of(object)) {
    case way_in::buffer:
      read_buffer(object);
      return true;
    case way_in::polars:
    case way_in::arrow_chunks:
      read_arrow(true);
      return true;
    case way_in::arrow:
      if (is_on_gpu_in_arrow(object)) return false;
      read_arrow(false);
      return true;
    case way_in::pandas:
      read_pandas();
      return true;
    default:
      return false;
  }
}

void imported_array::locate(PyObject* source, conversion allowed) {
  object = source;
  if (is_numpy_array(source)) return read_buffer(source);
  if (allowed == conversion::by_numpy && read_numbers()) return;
  if (way_in_of(source) == way_in::torch && read_torch()) return;
  if (allowed == conversion::by_numpy && read_known_type()) return;
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
    if (PyObject_CheckBuffer(source) != 0) return read_buffer(source);
    return read_dlpack(export_dlpack(source, {}));
  }
  if (const nb::object interface = find_attribute(source, "__cuda_array_interface__"); interface.is_valid()) {
    on_gpu = true;
    return read_cuda_array_interface(interface);
  }
  if (PyObject_CheckBuffer(source) != 0) return read_buffer(source);
  if (allowed == conversion::none) throw not_an_array();
  convert();
}

namespace {

/// An object that deletes `memory` with its last reference.
template <class T>
nb::object owner_of(std::unique_ptr<T> memory) {
  nb::capsule owner(memory.get(), [](void* held) noexcept { delete static_cast<T*>(held); });
  memory.release();
  return owner;
}

}  // namespace

bool imported_array::read_numbers() {
  PyTypeObject* const its = Py_TYPE(object);
  const bool is_plain = its == &PyList_Type || its == &PyFloat_Type || its == &PyLong_Type || its == &PyTuple_Type ||
                        its == &PyBool_Type;
  if (!is_plain) return false;
  auto numbers = std::make_unique<python_numbers>();
  if (!read_python_numbers(object, *numbers)) {
    convert();
    return true;
  }
  type = numbers->type;
  is_boolean = numbers->are_booleans;
  set_shape(numbers->dimensions, numbers->shape.data());
  set_strides(nullptr, 1);
  data = numbers->words.data();
  owner_ = owner_of(std::move(numbers));
  read_only = true;
  return true;
}

/// The values of a Series are an array of NumPy, or of a type of pandas' own, which _numbers.py reads.
void imported_array::read_pandas() {
  const finalization_guard guard;
  nb::object values = nb::handle(object).attr("values");
  if (!is_numpy_array(values.ptr())) return convert_from(values.ptr());
  owner_ = std::move(values);
  read_buffer(owner_.ptr());
}

void imported_array::read_arrow(bool has_chunks) {
  auto column = std::make_unique<arrow_column>(object, has_chunks);
  type = column->type;
  is_boolean = column->is_boolean;
  const std::int64_t shape[] = {column->length};
  set_shape(1, shape);
  set_strides(nullptr, 1);
  data = const_cast<void*>(column->data);
  owner_ = owner_of(std::move(column));
  read_only = true;
}

void imported_array::convert() { convert_from(object); }

/// By exactdot/_numbers.py, which returns an array of NumPy, numbers that no element type holds, or why it refuses.
void imported_array::convert_from(PyObject* from) {
  static PyObject* convert_function = nullptr;
  const finalization_guard guard;
  if (convert_function == nullptr) {
    convert_function = nb::module_::import_("exactdot._numbers").attr("convert").inc_ref().ptr();
  }
  owner_ = nb::handle(convert_function)(nb::handle(from));
  if (is_numpy_array(owner_.ptr())) {
    read_buffer(owner_.ptr());
    read_only = true;
    return;
  }
  if (nb::hasattr(owner_, "sentence")) {
    throw invalid_array{nb::cast<bool>(owner_.attr("is_type_error")), nb::cast<std::string>(owner_.attr("sentence"))};
  }
  if (!takes_exact_numbers) throw invalid_array{true, nb::cast<std::string>(owner_.attr("reason"))};
  holds_exact_numbers = true;
}

nb::object imported_array::for_python() const {
  if (holds_exact_numbers) return owner_;
  if (!owner_.is_valid() || !is_numpy_array(owner_.ptr())) return nb::borrow(object);
  if (type != element_type::bfloat16) return owner_;
  return owner_.attr("view")(nb::module_::import_("ml_dtypes").attr("bfloat16"));  // it is read as uint16
}

void imported_array::import_on(std::intptr_t stream) {
  if (!on_gpu || is_imported_) return;
  nb::dict arguments;
  arguments["stream"] = nb::int_(stream == 0 ? 1 : stream);  // DLPack's number of the legacy default stream is 1
  read_dlpack(export_dlpack(object, arguments));
}

void imported_array::set_shape(int count, const std::int64_t* shape) {
  if (count > 1 && !takes_any_shape) {
    throw invalid_array{false, "has " + std::to_string(count) + " dimensions; use a 1-D array"};
  }
  if (count < 0 || std::any_of(shape, shape + count, [](std::int64_t length) { return length < 0; })) {
    throw invalid_array{true, "has a negative length"};
  }
  dimensions = count;
  axes.clear();
  n = 1;
  bool overflows = false;
  for (int i = 0; i < count; ++i) {
    const auto length = static_cast<std::size_t>(shape[i]);
    overflows = __builtin_mul_overflow(n, length, &n) || overflows;
    if (count > 1) axes.push_back({length, 0});
  }
  const bool is_empty = std::any_of(shape, shape + count, [](std::int64_t length) { return length == 0; });
  if (is_empty) n = 0;
  if (overflows && !is_empty) throw invalid_array{true, "has more elements than an address space"};
}

/// In multiples of `unit` bytes; null for elements that follow each other, the last dimension fastest.
void imported_array::set_strides(const std::int64_t* strides, std::ptrdiff_t unit) {
  stride = dimensions == 1 && strides != nullptr ? strides[0] * unit : static_cast<std::ptrdiff_t>(size_of(type));
  std::ptrdiff_t next = static_cast<std::ptrdiff_t>(size_of(type));
  for (std::size_t i = axes.size(); i-- != 0;) {
    axes[i].stride = strides != nullptr ? strides[i] * unit : next;
    next *= static_cast<std::ptrdiff_t>(axes[i].n);
  }
}

void imported_array::set_data(void* address) {
  if (address == nullptr && n != 0) throw invalid_array{true, "has a null pointer as data"};
  data = address;
}

void imported_array::read_buffer(PyObject* exporter) {
  if (PyObject_GetBuffer(exporter, &buffer_, PyBUF_RECORDS_RO) != 0) {
    buffer_.obj = nullptr;
    const nb::python_error reason;
    if (!reason.matches(PyExc_BufferError) && !reason.matches(PyExc_ValueError) &&
        !reason.matches(PyExc_TypeError)) {
      throw reason;
    }
    return read_without_buffer(exporter, text_of(reason.value()));
  }
  const char* const written = buffer_.format != nullptr ? buffer_.format : "B";  // as the protocol specifies
  const auto format = read_struct_format(written, static_cast<std::size_t>(buffer_.itemsize));
  if (!format) {
    const std::string found = dtype_name(exporter);  // of NumPy's arrays
    throw wrong_type(found.empty() ? std::string("of format '") + written + "'" : "of dtype " + found);
  }
  type = format->type;
  is_boolean = format->is_boolean;
  swapped = format->swapped;
  static_assert(sizeof(Py_ssize_t) == sizeof(std::int64_t));
  set_shape(buffer_.ndim, reinterpret_cast<const std::int64_t*>(buffer_.shape));
  set_data(buffer_.buf);
  read_only = buffer_.readonly != 0;
  set_strides(reinterpret_cast<const std::int64_t*>(buffer_.strides), 1);  // ctypes arrays have none
}

/// The buffer protocol has no format for bfloat16: NumPy arrays are viewed as integers, others exported by DLPack,
/// and scalars converted.
void imported_array::read_without_buffer(PyObject* exporter, const std::string& reason) {
  static PyObject* ndarray = nullptr;
  PyObject* const numpy_array = loaded_attribute(ndarray, "numpy", "ndarray");
  const std::string found = dtype_name(exporter);
  if (numpy_array != nullptr && PyObject_IsInstance(exporter, numpy_array) == 1) {
    if (found != name_of(element_type::bfloat16)) throw wrong_type("of dtype " + found);
    const finalization_guard guard;
    owner_ = nb::handle(exporter).attr("view")("uint16");
    read_buffer(owner_.ptr());
    type = element_type::bfloat16;
    return;
  }
  if (nb::hasattr(exporter, "__dlpack__")) return read_dlpack(export_dlpack(exporter, {}));
  if (found == name_of(element_type::bfloat16)) {  // a scalar, which is immutable
    convert();
    return;
  }
  throw invalid_array{true, "exports no buffer: " + reason};
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
  owner_ = std::move(capsule);
  const auto found = read_dlpack_type(tensor->type);
  if (!found) {
    const auto [code, bits, lanes] = tensor->type;
    throw wrong_type("of DLPack type code " + std::to_string(code) + " with " + std::to_string(bits) +
                     " bits and " + std::to_string(lanes) + (lanes == 1 ? " lane" : " lanes"));
  }
  type = *found;
  is_boolean = tensor->type.code == dlpack::boolean;
  const auto kind = tensor->device.type;
  if (on_gpu ? kind != dlpack::cuda && kind != dlpack::cuda_managed
             : kind != dlpack::cpu && kind != dlpack::cuda_host) {
    throw invalid_array{true, "its capsule has DLPack device type " + std::to_string(kind) +
                                  ", its __dlpack_device__ is " + (on_gpu ? "a GPU" : "a CPU")};
  }
  if (tensor->dimensions > 0 && tensor->shape == nullptr) throw invalid_array{true, "has a null pointer as shape"};
  set_shape(tensor->dimensions, tensor->shape);
  set_data(tensor->data);
  if (data != nullptr) data = static_cast<char*>(data) + tensor->byte_offset;
  set_strides(tensor->strides, static_cast<std::ptrdiff_t>(size_of(type)));
}

namespace {

/// The element type of a torch.dtype. Older versions of PyTorch have fewer types.
std::optional<element_type> torch_type(PyObject* dtype) {
  static PyObject* types[elements.size()] = {};
  for (const element_info& known : elements) {
    if (dtype == loaded_attribute(types[static_cast<std::size_t>(known.type)], "torch", known.name.data())) {
      return known.type;
    }
  }
  return std::nullopt;
}

}  // namespace

/// Imports a PyTorch tensor on a GPU by its methods: __dlpack__ costs more than a short dot. Returns false for a
/// tensor that __dlpack__ has to check. No stream needs ordering: the call runs on PyTorch's current one.
bool imported_array::read_torch() {
  const nb::handle tensor(object);
  const auto is = [&](const char* name) { return PyObject_IsTrue(nb::object(tensor.attr(name)).ptr()) == 1; };
  if (is("requires_grad")) {
    throw invalid_array{true, "requires a gradient, which this package does not compute; pass its detach()"};
  }
  if (nb::cast<bool>(tensor.attr("is_neg")())) {  // PyTorch would export the view without its sign
    throw invalid_array{true, "is a view that PyTorch has not negated yet; call its method resolve_neg() first"};
  }
  if (!is("is_cuda")) return false;
  const auto found = torch_type(nb::object(tensor.attr("dtype")).ptr());
  const auto count = nb::cast<int>(tensor.attr("dim")());
  if (!found) return false;  // __dlpack__ knows booleans
  on_gpu = true;
  device = nb::cast<int>(tensor.attr("device").attr("index"));
  type = *found;
  owner_ = tensor.attr("untyped_storage")();  // keeps the memory even if the tensor is given another storage
  data = reinterpret_cast<void*>(nb::cast<std::uintptr_t>(tensor.attr("data_ptr")()));
  std::vector<std::int64_t> shape, strides;
  for (int i = 0; i < count; ++i) {
    shape.push_back(nb::cast<std::int64_t>(tensor.attr("size")(i)));
    strides.push_back(nb::cast<std::int64_t>(tensor.attr("stride")(i)));
  }
  set_shape(count, shape.data());
  set_strides(strides.data(), static_cast<std::ptrdiff_t>(size_of(type)));
  is_imported_ = is_torch = true;
  return true;
}

}  // namespace exactdot::python

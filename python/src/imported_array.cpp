// Imports arrays by the buffer protocol and DLPack; PyTorch's tensors: torch_tensor.cpp; objects that are no arrays:
// converted_objects.cpp.
//
// NumPy arrays use the buffer protocol, the fastest. Other objects are asked for their device first, because some
// support the buffer protocol only while they are in host memory.
// Sources: PEP 3118, the DLPack specification, the CUDA array interface (version 3).
#include <cstdlib>
#include <python/src/gil.hpp>
#include <python/src/import_errors.hpp>
#include <python/src/imported_array.hpp>
#include <python/src/known_types.hpp>

namespace exactdot::python {
namespace {

constexpr int max_dimensions = 64;                              // NumPy's and the buffer protocol's
constexpr std::ptrdiff_t max_extent = std::ptrdiff_t{1} << 56;  // of bytes: no process has more

}  // namespace

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
  if (managed_ == nullptr && versioned_ == nullptr) return;
  const nb::error_scope in_flight;  // an exception that a deleter raises is reported and dropped, as a finaliser's
  if (managed_ != nullptr && managed_->deleter != nullptr) managed_->deleter(managed_);
  if (versioned_ != nullptr && versioned_->deleter != nullptr) versioned_->deleter(versioned_);
  if (PyErr_Occurred() != nullptr) PyErr_WriteUnraisable(nullptr);
}

namespace {

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

void imported_array::locate(PyObject* source, conversion allowed) {
  object = source;
  if (described != nullptr) return take_tensor(*described);
  if (is_numpy_array(source)) return read_buffer(source);
  if (allowed == conversion::of_numbers && read_numbers()) return;
  if (way_in_of(source) == way_in::torch && read_torch()) return;
  if (allowed == conversion::of_numbers && read_known_type()) return;
  if (is_masked(source)) throw masked_array();
  if (const nb::object device_of = find_attribute(source, "__dlpack_device__"); device_of.is_valid()) {
    const finalization_guard guard;
    const nb::object type_and_index = device_of();
    int kind = 0;
    if (!PyTuple_Check(type_and_index.ptr()) || NB_TUPLE_GET_SIZE(type_and_index.ptr()) != 2 ||
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
  if (count < 0 || count > max_dimensions) {
    throw invalid_array{true,
                        "has " + std::to_string(count) + " dimensions; use 0 to " + std::to_string(max_dimensions)};
  }
  if (count > 0 && shape == nullptr) throw invalid_array{true, "has a null pointer as shape"};
  dimensions = count;
  axes.clear();
  if (count > 1) axes.reserve(static_cast<std::size_t>(count));
  n = 1;
  bool overflows = false, is_empty = false;
  for (int i = 0; i < count; ++i) {
    const std::int64_t given = shape[i];  // read once: the memory is the exporter's
    if (given < 0) throw invalid_array{true, "has a negative length"};
    const auto length = static_cast<std::size_t>(given);
    is_empty = is_empty || length == 0;
    overflows = __builtin_mul_overflow(n, length, &n) || overflows;
    if (count > 1) axes.push_back({length, 0});
  }
  if (is_empty) n = 0;
  if (overflows && !is_empty) throw invalid_array{true, "has more elements than an address space"};
}

/// In multiples of `unit` bytes; null for elements that follow each other, the last dimension fastest. The product may
/// wrap: CuPy divides negative strides by the size of an element as unsigned numbers.
void imported_array::set_strides(const std::int64_t* strides, std::ptrdiff_t unit) {
  const auto element = static_cast<std::ptrdiff_t>(size_of(type));
  std::ptrdiff_t next = element, extent = 0;
  bool is_beyond = false;
  const auto read = [&](std::size_t i, std::size_t length) {
    std::ptrdiff_t bytes = next, spanned = 0;
    if (strides != nullptr) {
      bytes = static_cast<std::ptrdiff_t>(static_cast<std::uint64_t>(strides[i]) * static_cast<std::uint64_t>(unit));
    }
    const bool is_far = bytes > max_extent || bytes < -max_extent;
    if (n == 0 || length == 1) return is_far ? element : bytes;  // which no address depends on
    is_beyond = is_beyond || is_far || __builtin_mul_overflow(std::abs(bytes), length - 1, &spanned) ||
                __builtin_add_overflow(extent, spanned, &extent) || extent > max_extent;
    if (strides == nullptr && !is_beyond) next *= static_cast<std::ptrdiff_t>(length);
    return bytes;
  };
  stride = element;
  if (dimensions == 1) stride = read(0, n);
  for (std::size_t i = axes.size(); i-- != 0;) axes[i].stride = read(i, axes[i].n);
  if (is_beyond) throw invalid_array{true, "has strides beyond an address space"};
}

bool imported_array::flatten() {
  auto next = static_cast<std::ptrdiff_t>(size_of(type));
  for (std::size_t i = axes.size(); i-- != 0 && n != 0;) {
    if (axes[i].n != 1 && axes[i].stride != next) return false;
    next *= static_cast<std::ptrdiff_t>(axes[i].n);
  }
  if (dimensions == 1) return true;
  dimensions = 1, stride = static_cast<std::ptrdiff_t>(size_of(type));
  axes.clear();
  return true;
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
  const auto bytes_of_element = static_cast<std::size_t>(buffer_.itemsize);
  auto format = read_struct_format(written, bytes_of_element);
  if (!format && takes_complex) {
    format = read_complex_format(written, bytes_of_element);
    is_complex = format.has_value();
  }
  if (!format) {
    const std::string found = dtype_name(exporter);  // of NumPy's arrays
    throw wrong_type(found.empty() ? std::string("of format '") + written + "'" : "of dtype " + found);
  }
  type = format->type;
  is_boolean = format->is_boolean;
  swapped = format->swapped;
  if (buffer_.suboffsets != nullptr)
    throw invalid_array{true, "exports a buffer with suboffsets, which was not asked for"};
  static_assert(sizeof(Py_ssize_t) == sizeof(std::int64_t));
  set_shape(buffer_.ndim, reinterpret_cast<const std::int64_t*>(buffer_.shape));
  set_data(buffer_.buf);
  read_only = buffer_.readonly != 0;
  set_strides(reinterpret_cast<const std::int64_t*>(buffer_.strides), 1);  // ctypes arrays have none
  std::size_t bytes = 0;
  const bool fits = !__builtin_mul_overflow(n, size_of(type), &bytes);
  if (fits && buffer_.len >= 0 && static_cast<std::size_t>(buffer_.len) == bytes) return;
  throw invalid_array{true, "exports a buffer of " + std::to_string(buffer_.len) + " bytes for " +
                                std::to_string(n) + " elements of " + std::to_string(size_of(type))};
}

/// The buffer protocol has no format for the types of ml_dtypes: NumPy arrays are viewed as integers, others
/// exported by DLPack, and scalars converted.
void imported_array::read_without_buffer(PyObject* exporter, const std::string& reason) {
  static PyObject* ndarray = nullptr;
  PyObject* const numpy_array = loaded_attribute(ndarray, "numpy", "ndarray");
  const std::string found = dtype_name(exporter);
  const auto named = type_named(found);
  const bool is_known_type = named && is_of_ml_dtypes(*named);
  if (numpy_array != nullptr && PyObject_IsInstance(exporter, numpy_array) == 1) {
    if (!is_known_type) throw wrong_type("of dtype " + found);
    const finalization_guard guard;
    owner_ = nb::handle(exporter).attr("view")(size_of(*named) == 1 ? "uint8" : "uint16");
    read_buffer(owner_.ptr());
    type = *named;
    return;
  }
  if (nb::hasattr(exporter, "__dlpack__")) return read_dlpack(export_dlpack(exporter, {}));
  if (is_known_type) {  // a scalar, which is immutable
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
  set_shape(tensor->dimensions, tensor->shape);
  set_data(tensor->data);
  auto address = reinterpret_cast<std::uintptr_t>(data);
  if (data != nullptr && __builtin_add_overflow(address, tensor->byte_offset, &address)) {
    throw invalid_array{true, "has a byte offset beyond an address space"};
  }
  data = reinterpret_cast<void*>(address);
  set_strides(tensor->strides, static_cast<std::ptrdiff_t>(size_of(type)));
}

}  // namespace exactdot::python

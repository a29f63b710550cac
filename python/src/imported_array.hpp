// A Python array as the library reads it: an any_vector, and the references that keep its memory valid.
//
// The memory is described by the protocol that the object offers: the buffer protocol, DLPack or
// __cuda_array_interface__. Descriptions are checked for consistency. Addresses cannot be checked, so they are
// trusted, as these protocols require.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <cstddef>
#include <cstdint>
#include <exactdot/shapes.hpp>
#include <exactdot/views.hpp>
#include <memory>
#include <python/src/dlpack.hpp>
#include <python/src/known_types.hpp>
#include <string>
#include <vector>

namespace exactdot::python {

namespace nb = nanobind;

/// Thrown for an object that is not a vector. The caller, which knows both arguments, turns it into a Python
/// exception that describes them.
struct invalid_array {
  bool is_type_error;
  std::string reason;
};

/// Whether an object without any of the protocols is converted: Python's numbers and lists of them exactly, others
/// as numpy.asarray does.
enum class conversion : bool { none, of_numbers };

struct plain_tensor;  // torch_tensor.hpp

/// Neither copied nor moved. Destroyed with the GIL held.
class imported_array {
 public:
  imported_array() = default;
  imported_array(const imported_array&) = delete;
  imported_array& operator=(const imported_array&) = delete;
  ~imported_array();

  /// First step: finds out whether the vector is in host or GPU memory, and imports host memory. Throws
  /// invalid_array or nb::python_error.
  void locate(PyObject* object, conversion allowed = conversion::none);
  /// Second step, for GPU memory: imports it. The producer orders its queued work before later work on `stream`.
  void import_on(std::intptr_t stream);

  bool takes_any_shape = false;      // set before locate(): more than one dimension is allowed
  bool takes_exact_numbers = false;  // set before locate(): numbers that no element type holds are allowed
  bool takes_nulls = false;          // set before locate(): a column may hold nulls
  bool takes_complex = false;        // set before locate(): complex numbers are allowed
  const plain_tensor* described = nullptr;  // set before locate(): PyTorch's description of the object
  bool on_gpu = false;
  int device = 0;
  element_type type = element_type::float64;
  bool is_boolean = false;  // of the type uint8
  bool is_complex = false;  // of a tensor on a GPU nothing else is known then
  bool conjugated = false;  // set after locate(): a factor of a product is the conjugate
  int dimensions = 1;
  bool swapped = false;  // not in native byte order
  bool read_only = false;
  bool is_torch = false;  // imported by PyTorch's methods, valid on PyTorch's current stream
  void* data = nullptr;
  std::size_t n = 0;                   // of all dimensions
  std::ptrdiff_t stride = 0;           // in bytes; of one dimension
  std::vector<axis> axes;              // of more than one dimension
  std::intptr_t producer_stream = -1;  // named by __cuda_array_interface__; -1: none
  PyObject* object = nullptr;          // borrowed
  bool holds_exact_numbers = false;    // numbers that no element type holds (_numbers.py), and nothing else
  bool is_list = false;                // of numbers, which have no element type of their own
  std::unique_ptr<std::vector<std::uint8_t>> validity;  // of columns with nulls, in the order of C: 0 for these; otherwise null

  [[nodiscard]] any_vector view() const {
    any_vector x(data, n, type, stride, swapped);
    x.conjugated = conjugated;
    return x;
  }
  /// Reads a list of integers again, as float64 or else as exact numbers: the other input is of floats.
  void read_as_floats();
  /// Makes the elements in host memory one dimension, in the order of C, by NumPy.
  void make_vector();
  /// Makes elements that follow each other in the order of C one dimension. Returns whether it is one.
  bool flatten();
  /// The axes of any number of dimensions.
  [[nodiscard]] std::vector<axis> all_axes() const {
    if (dimensions == 0) return {};
    return dimensions == 1 ? std::vector<axis>{{n, stride}} : axes;
  }
  /// What holds the elements for Python: the object, or what it was converted to, as an iterator is empty then.
  [[nodiscard]] nb::object for_python() const;
  /// The elements in host memory as an array of NumPy, which keeps the memory, read in place; or exact numbers.
  /// What the object itself would give NumPy may be something else. Elements of a type that NumPy lacks are
  /// float32, exactly.
  [[nodiscard]] nb::object for_numpy();

 private:
  bool read_known_type();
  bool read_numbers();
  void read_pandas();
  void read_arrow(bool has_chunks);
  void convert();
  void convert_from(PyObject* from);
  void convert_without_nulls(PyObject* from);
  void read_converted();
  void read_buffer(PyObject* exporter);
  void read_without_buffer(PyObject* exporter, const std::string& reason);
  void read_dlpack(nb::object capsule);
  bool read_torch();
  void take_tensor(const plain_tensor& tensor);
  void read_cuda_array_interface(const nb::object& value);
  void set_shape(int count, const std::int64_t* shape);
  void set_strides(const std::int64_t* strides, std::ptrdiff_t unit);
  void set_data(void* address);
  [[nodiscard]] nb::object take_memory();

  Py_buffer buffer_{};  // buffer_.obj is null if the buffer protocol was not used
  nb::object owner_;    // of the memory: a capsule, a storage, a converted object
  bool is_imported_ = false;
  dlpack::managed* managed_ = nullptr;
  dlpack::managed_versioned* versioned_ = nullptr;
};

/// "numpy.ndarray of float32, shape (3,)", for messages. Never throws a Python error.
std::string describe(PyObject* object);

/// Whether it is an instance of numpy.ma.MaskedArray.
bool is_masked(PyObject* object);

/// str(value), for messages; characters without a UTF-8 form are escaped. Never throws a Python error.
std::string text_of(nb::handle value);

}  // namespace exactdot::python

// One vector as Python hands it over: where it lies, what it holds, and whatever keeps it alive meanwhile.
//
// Read in place, by the protocol the object offers: the buffer protocol, DLPack, or __cuda_array_interface__. What
// an object says of itself is checked where it can be; a pointer that lies about its memory is believed, as it is
// by all who speak these protocols.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <cstddef>
#include <cstdint>
#include <exactdot/views.hpp>
#include <python/src/dlpack.hpp>
#include <string>

namespace exactdot::python {

namespace nb = nanobind;

/// Why an object is no vector. The caller, who knows both sides, makes the exception of it.
struct refusal {
  bool is_type_error;
  std::string why;
};

/// Move-free: made in place, released (with the GIL) where it was made.
class operand {
 public:
  operand() = default;
  operand(const operand&) = delete;
  operand& operator=(const operand&) = delete;
  ~operand();

  /// First step: where the vector lies. Reads host memory's description at once. Throws refusal or
  /// nb::python_error.
  void locate(PyObject* object);
  /// Second step, for vectors in a GPU's memory: the description, with what the producer has queued ordered before
  /// what `stream` will run.
  void import_on(std::intptr_t stream);

  bool on_gpu = false;
  int device = 0;
  element_type type = element_type::float64;
  int dimensions = 1;    // 0 or 1
  bool swapped = false;  // the other byte order
  bool read_only = false;
  bool is_torch = false;  // read by PyTorch's own methods: on its current stream nothing needs to be ordered
  void* data = nullptr;
  std::size_t n = 0;
  std::ptrdiff_t stride = 0;           // in bytes
  std::intptr_t producer_stream = -1;  // what __cuda_array_interface__ names; -1: none
  PyObject* object = nullptr;          // borrowed

  [[nodiscard]] any_vector view() const { return {data, n, type, stride, swapped}; }

 private:
  void read_buffer();
  void read_dlpack(nb::object capsule);
  bool read_torch();
  void read_cuda_array_interface(const nb::object& said);
  void take_shape(int count, const std::int64_t* shape);
  void take_memory(void* address);

  Py_buffer buffer_{};  // buffer_.obj is null where there is none
  nb::object capsule_;  // or what else holds the memory
  bool is_imported_ = false;
  dlpack::managed* managed_ = nullptr;
  dlpack::managed_versioned* versioned_ = nullptr;
};

/// "numpy.ndarray of float32, shape (3,)", for messages. Never throws a Python error.
std::string describe(PyObject* object);

/// "float32 or float64": the names of all element types, for messages.
std::string element_type_names();

/// Whether it is one of NumPy's masked arrays.
bool is_masked(PyObject* object);

/// str(value), for messages: what has no UTF-8 form is escaped. Never throws a Python error.
std::string text_of(nb::handle value);

}  // namespace exactdot::python

// PyTorch's tensors: described by the C functions that PyTorch offers since 2.10 (DLPack's exchange API), or by
// attributes, whose names are interned once; element types of torch.dtype.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <array>
#include <exactdot/element.hpp>
#include <optional>
#include <python/src/dlpack.hpp>

namespace exactdot::python {

namespace nb = nanobind;

/// An attribute's name, as a string of Python that is made once and never destroyed: at exit Python may be gone.
class attribute_name {
 public:
  explicit attribute_name(const char* text) : name_(PyUnicode_InternFromString(text)) {}
  /// object.name; invalid if there is none, with Python's error set.
  [[nodiscard]] nb::object of(PyObject* object) const { return nb::steal(PyObject_GetAttr(object, name_)); }
  /// object.name(); likewise.
  [[nodiscard]] nb::object called(PyObject* object) const {
    return nb::steal(PyObject_VectorcallMethod(name_, &object, 1, nullptr));
  }

 private:
  PyObject* name_;
};

struct tensor_names {
  attribute_name requires_grad{"requires_grad"}, is_neg{"is_neg"}, is_inference{"is_inference"}, is_cpu{"is_cpu"},
      is_cuda{"is_cuda"}, dtype{"dtype"}, is_complex{"is_complex"}, device{"device"}, get_device{"get_device"},
      shape{"shape"}, stride{"stride"}, data_ptr{"data_ptr"}, untyped_storage{"untyped_storage"};
};
const tensor_names& names_of_tensors();

/// Whether its type is torch.Tensor or torch.nn.Parameter, and no subclass of which nothing is known.
bool has_plain_type(PyObject* object);

/// A strided tensor as PyTorch describes it: a copy, with what keeps its memory, as Python code may change the
/// tensor.
struct plain_tensor {
  static constexpr int max_dimensions = 16;
  PyObject* object = nullptr;  ///< borrowed
  nb::object storage;
  element_type type = element_type::float64;
  bool is_boolean = false;
  dlpack::device device{};
  void* data = nullptr;
  int dimensions = 0;
  std::array<std::int64_t, max_dimensions> shape, strides;  ///< strides in elements

  [[nodiscard]] bool is_in_cuda_memory() const {
    return device.type == dlpack::cuda || device.type == dlpack::cuda_managed;
  }
  [[nodiscard]] bool is_beside(const plain_tensor& other) const {
    return device.type == other.device.type && device.index == other.device.index;
  }
  [[nodiscard]] bool has_shape_of(const plain_tensor& other) const {
    return dimensions == other.dimensions &&
           std::equal(shape.begin(), shape.begin() + dimensions, other.shape.begin());
  }
  [[nodiscard]] bool has_type_of(const plain_tensor& other) const {
    return type == other.type && is_boolean == other.is_boolean;
  }
};

/// Describes a tensor of up to 16 dimensions, in host or CUDA memory, of a known element type; false for others. It
/// does not say whether a gradient or a sign belongs to the tensor.
bool describe_tensor(PyObject* object, plain_tensor& x);

struct tensor_type {
  element_type type;
  bool is_boolean;  ///< then uint8
};
/// The element type of a torch.dtype. Older versions of PyTorch have fewer types.
std::optional<tensor_type> read_torch_dtype(PyObject* dtype);

/// Adds _reduce_plain_tensors, _normalise_plain_tensors, _normalised_gradients and _route: see torch_calls.cpp.
void bind_torch_calls(nb::module_& module);

}  // namespace exactdot::python

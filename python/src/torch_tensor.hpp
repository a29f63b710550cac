// PyTorch's tensors as Python sees them: attributes by names that are interned once, element types of torch.dtype.
#pragma once

#include <nanobind/nanobind.h>

#include <exactdot/element.hpp>
#include <optional>
#include <vector>

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
  attribute_name requires_grad{"requires_grad"}, is_neg{"is_neg"}, is_cpu{"is_cpu"}, is_cuda{"is_cuda"},
      dtype{"dtype"}, is_complex{"is_complex"}, device{"device"}, layout{"layout"}, get_device{"get_device"}, shape{"shape"},
      stride{"stride"}, data_ptr{"data_ptr"}, untyped_storage{"untyped_storage"};
};
const tensor_names& names_of_tensors();

struct tensor_type {
  element_type type;
  bool is_boolean;  ///< then uint8
};
/// The element type of a torch.dtype. Older versions of PyTorch have fewer types.
std::optional<tensor_type> read_torch_dtype(PyObject* dtype);

/// A tuple of integers; false if it is none.
bool read_integers(const nb::object& tuple, std::vector<std::int64_t>& numbers);

/// Adds _reduce_plain_tensor and _normalised_gradients: see torch_calls.cpp.
void bind_torch_calls(nb::module_& module);

}  // namespace exactdot::python

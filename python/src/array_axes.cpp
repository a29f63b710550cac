// Implementation of array_axes.hpp.
#include <python/src/arguments.hpp>
#include <python/src/array_axes.hpp>
#include <python/src/gil.hpp>

namespace exactdot::python {
namespace {

std::string shape_text(const std::vector<std::size_t>& shape) {
  std::string text = "(";
  for (const std::size_t n : shape) text += (text.size() > 1 ? ", " : "") + std::to_string(n);
  return text + (shape.size() == 1 ? ",)" : ")");
}

/// NumPy's AxisError, or a ValueError without NumPy.
[[noreturn]] void refuse_axis(std::int64_t axis, int dimensions, const char* caller) {
  const std::string sentence = std::string(caller) + ": axis is " + std::to_string(axis) + ", the array has " +
                               std::to_string(dimensions) + (dimensions == 1 ? " dimension" : " dimensions");
  const finalization_guard guard;
  nb::object type;
  try {
    const nb::object numpy = nb::module_::import_("numpy");
    const nb::object home = nb::hasattr(numpy, "exceptions") ? nb::object(numpy.attr("exceptions")) : numpy;
    type = home.attr("AxisError");
  } catch (const nb::python_error&) {
    throw_python(false, sentence);
  }
  PyErr_SetString(type.ptr(), sentence.c_str());
  throw nb::python_error();
}

std::size_t read_axis(nb::handle given, int dimensions, const char* caller) {
  if (PyBool_Check(given.ptr())) throw_python(true, std::string(caller) + ": axis is a bool; use an integer");
  const std::int64_t axis = read_integer(given, "axis", caller);
  if (axis < -dimensions || axis >= dimensions) refuse_axis(axis, dimensions, caller);
  return static_cast<std::size_t>(axis < 0 ? axis + dimensions : axis);
}

bool are_several(nb::handle axes) { return PyTuple_Check(axes.ptr()) != 0 || PyList_Check(axes.ptr()) != 0; }

}  // namespace

void refuse_several_axes(nb::handle given, const char* caller, const char* expected) {
  if (!are_several(given)) return;
  throw_python(true, std::string(caller) + ": axis is a " + (PyList_Check(given.ptr()) != 0 ? "list" : "tuple") +
                         "; use " + expected);
}

std::vector<bool> read_axes(nb::handle given, int dimensions, const char* caller) {
  std::vector<bool> reduced(static_cast<std::size_t>(dimensions), given.is_none());
  if (given.is_none()) return reduced;
  if (!are_several(given)) {
    reduced[read_axis(given, dimensions, caller)] = true;
    return reduced;
  }
  const nb::tuple axes(given);  // of a list a copy, which no __index__ changes
  for (const nb::handle each : axes) {
    const std::size_t axis = read_axis(each, dimensions, caller);
    if (reduced[axis])
      throw_python(false, std::string(caller) + ": axis " + std::to_string(axis) + " is named twice");
    reduced[axis] = true;
  }
  return reduced;
}

divided_axes divide(const std::vector<axis>& axes, const std::vector<bool>& reduced, bool keepdims) {
  divided_axes divided;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    (reduced[i] ? divided.elements : divided.results).push_back(axes[i]);
    if (reduced[i] && !keepdims) continue;
    divided.shape.push_back(reduced[i] ? 1 : axes[i].n);
    divided.is_result.push_back(!reduced[i]);
  }
  return divided;
}

std::vector<axis> places_of(const imported_array& out, const divided_axes& divided, const char* caller,
                            const char* name) {
  std::vector<std::size_t> shape;
  std::vector<axis> places;
  const std::vector<axis> axes = out.all_axes();
  for (const axis& each : axes) shape.push_back(each.n);
  const bool is_one_element = divided.shape.empty() && shape == std::vector<std::size_t>{1};  // as of vectors
  if (shape != divided.shape && !is_one_element) {
    throw_python(false, std::string(caller) + ": " + name + " has shape " + shape_text(shape) +
                            ", the results have " + shape_text(divided.shape));
  }
  for (std::size_t i = 0; i < divided.shape.size(); ++i) {
    if (divided.is_result[i]) places.push_back(axes[i]);
  }
  return places;
}

}  // namespace exactdot::python

// Descriptions of Python objects for messages (imported_array.hpp).
#include <python/src/gil.hpp>
#include <python/src/imported_array.hpp>

namespace exactdot::python {

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

// Implementation of known_types.hpp.
#include <python/src/gil.hpp>
#include <python/src/known_types.hpp>

namespace exactdot::python {

namespace nb = nanobind;

PyObject* loaded_attribute(PyObject*& cache, const char* module, const char* name) {
  if (cache != nullptr) return cache;
  const nb::object module_name = nb::steal(PyUnicode_InternFromString(module));
  const nb::object imported = nb::steal(PyImport_GetModule(module_name.ptr()));
  if (imported.is_valid()) cache = PyObject_GetAttrString(imported.ptr(), name);
  if (cache == nullptr) PyErr_Clear();  // also late in finalization, when Python has no modules
  return cache;
}

nb::object find_attribute(PyObject* object, const char* name) {
  const finalization_guard guard;
  nb::object found = nb::steal(PyObject_GetAttrString(object, name));
  if (found.is_valid()) return found;
  if (PyErr_ExceptionMatches(PyExc_AttributeError) == 0) throw nb::python_error();
  PyErr_Clear();
  return found;
}

namespace {

bool has_type(PyObject* object, PyObject* type) { return reinterpret_cast<PyObject*>(Py_TYPE(object)) == type; }

way_in find_way_in(PyTypeObject* type) {
  static PyObject* known[8] = {};
  constexpr struct {
    const char *module, *name;
    way_in way;
  } types[] = {{"numpy", "datetime64", way_in::time}, {"numpy", "timedelta64", way_in::time},
               {"numpy", "generic", way_in::buffer},  {"torch", "Tensor", way_in::torch},
               {"polars", "Series", way_in::polars},  {"pyarrow", "ChunkedArray", way_in::arrow_chunks},
               {"pyarrow", "Array", way_in::arrow},   {"pandas", "Series", way_in::pandas}};
  for (std::size_t i = 0; i < std::size(types); ++i) {
    PyObject* const base = loaded_attribute(known[i], types[i].module, types[i].name);
    if (base != nullptr && PyType_IsSubtype(type, reinterpret_cast<PyTypeObject*>(base)) != 0) return types[i].way;
  }
  return way_in::search;
}

}  // namespace

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

}  // namespace exactdot::python

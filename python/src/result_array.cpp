// Implementation of result_array.hpp.
#include <python/src/arguments.hpp>
#include <python/src/element_formats.hpp>
#include <python/src/gil.hpp>
#include <python/src/gpu_results.hpp>
#include <python/src/known_types.hpp>
#include <python/src/output.hpp>
#include <python/src/result_array.hpp>
#include <python/src/stream.hpp>
#include <string_view>

namespace exactdot::python {
namespace {

/// Libraries whose arrays are made here; `standard`: one that is found by the array API's __array_namespace__.
enum class library : unsigned char { numpy, torch, cupy, jax, standard, unknown };

library library_of(PyObject* object) {
  if (is_numpy_array(object)) return library::numpy;
  const std::string name = framework_of(object);
  if (name == "torch") return library::torch;
  if (name == "cupy") return library::cupy;
  if (name.starts_with("jax")) return library::jax;
  if (name == "numpy" || name == "builtins") return library::numpy;
  const bool is_standard = nb::hasattr(object, "__array_namespace__") && nb::hasattr(object, "__dlpack__");
  return is_standard ? library::standard : library::unknown;
}

/// The first input of a known library; without one the first.
const imported_array& model_of(const vectors& inputs) {
  const bool second = library_of(inputs.first.object) == library::unknown && inputs.are_two();
  return second ? inputs.second : inputs.first;
}

nb::object numpy_dtype(element_type type) {
  const std::string name(name_of(type));
  if (is_of_ml_dtypes(type)) return nb::module_::import_("ml_dtypes").attr(name.c_str());
  return nb::str(name.c_str());
}

/// numpy.empty(shape, type) where NumPy is imported; invalid if it is not, or has no such type. An import and a
/// name of a type would take longer than a short call.
nb::object quick_numpy_array(const nb::object& shape, element_type type) {
  static PyObject *empty = nullptr, *types[detail::described_types.size()] = {};
  if (is_of_ml_dtypes(type)) return {};
  PyObject* const call = loaded_attribute(empty, "numpy", "empty");
  PyObject* const of = loaded_attribute(types[static_cast<std::size_t>(type)], "numpy", name_of(type).data());
  if (call == nullptr || of == nullptr) return {};
  PyObject* const arguments[] = {shape.ptr(), of};
  nb::object made = nb::steal(PyObject_Vectorcall(call, arguments, 2, nullptr));
  if (!made.is_valid()) throw nb::python_error();
  return made;
}

/// In host memory and C order. Throws ImportError, which names `out`, without NumPy.
nb::object new_numpy_array(const nb::object& shape, element_type type, const char* caller) {
  if (nb::object made = quick_numpy_array(shape, type); made.is_valid()) return made;
  try {
    return nb::module_::import_("numpy").attr("empty")(shape, numpy_dtype(type));
  } catch (const nb::python_error& failure) {
    if (!failure.matches(PyExc_ImportError)) throw;
    const std::string sentence = std::string(caller) + ": several results of " + std::string(name_of(type)) +
                                 " need NumPy" + (is_of_ml_dtypes(type) ? " and ml_dtypes" : "") +
                                 ", or the argument out";
    PyErr_SetString(PyExc_ImportError, sentence.c_str());
    throw nb::python_error();
  }
}

/// An empty array of a library with the standard's names, beside `like`; invalid if it has no such type.
nb::object new_standard_array(const nb::object& library, nb::handle like, const nb::object& shape,
                              element_type type) {
  const std::string name(name_of(type));
  if (!nb::hasattr(library, name.c_str())) return {};
  return library.attr("empty")(shape, nb::arg("dtype") = library.attr(name.c_str()),
                               nb::arg("device") = like.attr("device"));
}

nb::object new_host_array(const nb::handle like, const nb::object& shape, element_type type, const char* caller) {
  nb::object made;
  const library kind = library_of(like.ptr());
  if (kind == library::torch) made = new_standard_array(nb::module_::import_("torch"), like, shape, type);
  if (kind == library::standard) made = new_standard_array(like.attr("__array_namespace__")(), like, shape, type);
  return made.is_valid() ? made : new_numpy_array(shape, type, caller);
}

nb::object new_cupy_array(const nb::object& shape, element_type type, int device) {
  const nb::object cupy = nb::module_::import_("cupy");
  const nb::object current = cupy.attr("cuda").attr("Device")(device);
  current.attr("__enter__")();
  nb::object made;
  try {
    made = cupy.attr("empty")(shape, numpy_dtype(type));
  } catch (const nb::python_error&) {
    current.attr("__exit__")(nb::none(), nb::none(), nb::none());
    throw;
  }
  current.attr("__exit__")(nb::none(), nb::none(), nb::none());
  return made;
}

nb::object new_gpu_array(const grid_call& call, const std::vector<std::size_t>& lengths, const nb::object& shape,
                         element_type type) {
  const imported_array& like = model_of(call.inputs);
  nb::object made;
  switch (library_of(like.object)) {
    case library::torch:
      made = new_standard_array(nb::module_::import_("torch"), like.object, shape, type);
      break;
    case library::cupy:
      return new_cupy_array(shape, type, like.device);
    case library::jax:
      return new_gpu_memory(lengths, type, like.device, *call.stream);
    default:
      break;
  }
  if (!made.is_valid()) {
    call.inputs.refuse(false, "several results of " + std::string(name_of(type)) +
                                  " in GPU memory are new arrays of PyTorch, CuPy or JAX; pass out");
  }
  return made;
}

/// Reads what another library made: something else is its fault, or that of what replaces it.
void locate_made(result_array& made, const char* caller) {
  try {
    made.imported.locate(made.object.ptr());
  } catch (const invalid_array& refused) {
    throw_python(true, std::string(caller) + ": the new array of results " + refused.reason + " (it is " +
                           describe(made.object.ptr()) + "); pass out");
  }
}

}  // namespace

void make_results(const grid_call& call, const std::vector<std::size_t>& shape, element_type type) {
  result_array& made = call.results;
  if (!call.out.is_none()) return check_out_type(call.dtype, call.inputs, made.imported, call.name_of_out());
  const finalization_guard guard;
  const nb::object shape_tuple = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(shape.size())));
  if (!shape_tuple.is_valid()) throw nb::python_error();
  for (std::size_t i = 0; i < shape.size(); ++i) {
    NB_TUPLE_SET_ITEM(shape_tuple.ptr(), static_cast<Py_ssize_t>(i), nb::int_(shape[i]).release().ptr());
  }
  made.imported.takes_any_shape = made.imported.takes_complex = true;
  if (call.stream == nullptr) {
    made.object = new_host_array(call.inputs.first.object, shape_tuple, type, call.caller);
    return locate_made(made, call.caller);
  }
  made.object = new_gpu_array(call, shape, shape_tuple, type);
  locate_made(made, call.caller);
  call.inputs.import_array(made.imported, "the array of results", *call.stream);
}

nb::object finished(const grid_call& call) {
  const nb::object& made = call.results.object;
  const imported_array& like = call.stream != nullptr ? model_of(call.inputs) : call.inputs.first;
  if (!call.out.is_none() || library_of(like.object) != library::jax) return made;
  const finalization_guard guard;
  const nb::object jax = nb::module_::import_("jax");
  if (call.stream != nullptr) return nb::module_::import_("jax.dlpack").attr("from_dlpack")(made);
  const element_type type = call.results.imported.type;
  const bool is_wide = size_of(part_of(type)) == 8;
  if (!nb::cast<bool>(jax.attr("config").attr("jax_enable_x64")) && is_wide) {
    return made;  // JAX would round to 32 bits
  }
  return nb::module_::import_("jax.numpy").attr("asarray")(made);
}

}  // namespace exactdot::python

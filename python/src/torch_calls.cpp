// The short ways of exactdot.torch: a reduction of one plain tensor over one dim or all, in compiled code from the
// checks to the result; and the gradients of normalised rows on a GPU, by the addresses of tensors that
// _normalisation_operators.py has checked.
//
// Python's layers (dispatcher, checks of every argument, autograd) take several times as long as a short sum. What
// needs them (gradients, modes, transforms, tracing, autocast, other layouts and results) is left to them: None is
// returned before anything is done. Cost: some 2 microseconds, of which PyTorch's allocation of the result takes
// one.
#include <algorithm>
#include <python/src/arguments.hpp>
#include <python/src/exceptions.hpp>
#include <python/src/gil.hpp>
#include <python/src/gpu_batches.hpp>
#include <python/src/known_types.hpp>
#include <python/src/reductions.hpp>
#include <python/src/torch_tensor.hpp>
#include <string_view>

namespace exactdot::python {
namespace {

/// Whether torch._C.name() says no. Not if there is no such function.
bool says_no(PyObject*& cache, const char* name) {
  PyObject* const function = loaded_attribute(cache, "torch._C", name);
  if (function == nullptr) return false;
  const nb::object answer = nb::steal(PyObject_Vectorcall(function, nullptr, 0, nullptr));
  if (!answer.is_valid()) throw nb::python_error();
  return PyObject_Not(answer.ptr()) == 1;
}

/// Whether no mode, transform, tracer or autocast watches the calls of this thread.
bool is_unwatched() {
  static PyObject* cache[4] = {};
  static PyObject* forward = nullptr;
  static const attribute_name level("_current_level");
  PyObject* const forward_ad = loaded_attribute(forward, "torch.autograd", "forward_ad");
  if (forward_ad == nullptr) return false;
  const nb::object current = level.of(forward_ad);
  if (!current.is_valid() || PyLong_AsLong(current.ptr()) >= 0) {
    PyErr_Clear();
    return false;
  }
  return says_no(cache[0], "_len_torch_dispatch_stack") && says_no(cache[1], "_are_functorch_transforms_active") &&
         says_no(cache[2], "_get_tracing_state") && says_no(cache[3], "_is_any_autocast_enabled");
}

bool is_plain_tensor(PyObject* x) {
  static PyObject *tensor = nullptr, *parameter = nullptr, *strided = nullptr;
  auto* const type = reinterpret_cast<PyObject*>(Py_TYPE(x));
  if (type != loaded_attribute(tensor, "torch", "Tensor") &&
      type != loaded_attribute(parameter, "torch.nn", "Parameter")) {
    return false;
  }
  const tensor_names& of = names_of_tensors();
  const nb::object needs_gradient = of.requires_grad.of(x), layout = of.layout.of(x);
  if (!needs_gradient.is_valid() || !layout.is_valid()) throw nb::python_error();
  if (needs_gradient.ptr() != Py_False || layout.ptr() != loaded_attribute(strided, "torch", "strided"))
    return false;
  const bool has_memory = of.is_cpu.of(x).ptr() == Py_True || of.is_cuda.of(x).ptr() == Py_True;
  return has_memory && of.is_neg.called(x).ptr() == Py_False;
}

/// The dtype of the result by default; null where the caller has to name one.
PyObject* default_dtype(reduction what, PyObject* dtype) {
  static PyObject* int64 = nullptr;
  const auto found = read_torch_dtype(dtype);
  if (!found) return nullptr;
  if (gives_element(what)) return dtype;
  if (!is_integer(found->type)) return dtype;
  if (what != reduction::sum) return nullptr;
  return found->type == element_type::uint64 ? dtype : loaded_attribute(int64, "torch", "int64");
}

/// The shape of the results over `axis`, or over all dims if it is negative.
nb::object reduced_shape(const std::vector<std::int64_t>& shape, std::ptrdiff_t axis, bool keeps_dims) {
  std::vector<nb::object> lengths;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const bool is_reduced = axis < 0 || static_cast<std::size_t>(axis) == i;
    if (!is_reduced) lengths.push_back(nb::int_(shape[i]));
    if (is_reduced && keeps_dims) lengths.push_back(nb::int_(1));
  }
  nb::object tuple = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(lengths.size())));
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    PyTuple_SetItem(tuple.ptr(), static_cast<Py_ssize_t>(i), lengths[i].release().ptr());
  }
  return tuple;
}

/// torch.function(first[, dtype=, device=]); names: those of the keywords.
nb::object call_torch(PyObject*& cache, const char* function, std::initializer_list<PyObject*> arguments,
                      PyObject* names) {
  nb::object made =
      nb::steal(PyObject_Vectorcall(loaded_attribute(cache, "torch", function), arguments.begin(), 1, names));
  if (!made.is_valid()) throw nb::python_error();
  return made;
}

nb::object new_tensor(const nb::object& shape, PyObject* dtype, const nb::object& device) {
  static PyObject* empty = nullptr;
  static PyObject* const names =
      PyTuple_Pack(2, PyUnicode_InternFromString("dtype"), PyUnicode_InternFromString("device"));
  return call_torch(empty, "empty", {shape.ptr(), dtype, device.ptr()}, names);
}

/// A tensor without dimensions, like one that is kept: that takes PyTorch half the time of parsing dtype and
/// device.
nb::object new_number(PyObject* dtype, const nb::object& device) {
  static PyObject* like = nullptr;
  static auto* const kept = new nb::dict;
  const nb::object key = nb::steal(PyTuple_Pack(2, dtype, device.ptr()));
  PyObject* found = PyDict_GetItemWithError(kept->ptr(), key.ptr());
  if (found == nullptr) {
    if (PyErr_Occurred() != nullptr) throw nb::python_error();
    nb::object made = new_tensor(nb::make_tuple(), dtype, device);
    (*kept)[key] = made;
    return made.attr("clone")();
  }
  return call_torch(like, "empty_like", {found}, nullptr);
}

const reduction_function* function_named(PyObject* name) {
  const auto found = std::ranges::find_if(functions, [&](const reduction_function& each) {
    return each.takes == shapes::axes && PyUnicode_CompareWithASCIIString(name, each.signature.name) == 0;
  });
  return found == functions.end() ? nullptr : &*found;
}

/// name, x, dim, keepdim and the correction, or None: the result, or None for a call that is not plain.
nb::object reduce_plain(PyObject* const* arguments) {
  const auto [name, x, dim, keepdim, correction] =
      std::array{arguments[0], arguments[1], arguments[2], arguments[3], arguments[4]};
  const reduction_function* const function = function_named(name);
  const bool is_usual =
      function != nullptr && (dim == Py_None || PyLong_CheckExact(dim) != 0) && PyBool_Check(keepdim) != 0;
  if (!is_usual || !is_plain_tensor(x) || !is_unwatched()) return nb::none();
  const tensor_names& of = names_of_tensors();
  std::vector<std::int64_t> shape;
  const nb::object dtype = of.dtype.of(x), device = of.device.of(x);
  PyObject* const kind = default_dtype(function->what, dtype.ptr());
  if (kind == nullptr || !read_integers(of.shape.of(x), shape) || shape.empty()) return nb::none();
  const auto count = static_cast<std::ptrdiff_t>(shape.size());
  std::ptrdiff_t axis = dim == Py_None ? count : PyLong_AsSsize_t(dim);
  if (PyErr_Occurred() != nullptr || (dim != Py_None && !(axis >= -count && axis < count))) {
    PyErr_Clear();
    return nb::none();  // the error has PyTorch's type there
  }
  axis = dim == Py_None ? -1 : axis < 0 ? axis + count : axis;
  const bool keeps_dims = keepdim == Py_True;
  const bool is_number = axis < 0 || (count == 1 && !keeps_dims);
  const bool has_dims = !is_number || keeps_dims;
  nb::object made =
      has_dims ? new_tensor(reduced_shape(shape, axis, keeps_dims), kind, device) : new_number(kind, device);
  call_arguments given;
  given.inputs[0] = x, given.keywords[out_parameter] = made.ptr();
  if (!is_number) given.keywords[axis_parameter] = dim;
  if (keeps_dims) given.keywords[keepdims_parameter] = keepdim;
  if (correction != Py_None) given.keywords[ddof_parameter] = correction;
  compute_named(*function, given);
  return made;
}

PyObject* reduce_plain_entry(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  try {
    if (count != 5) throw_python(true, "_reduce_plain_tensor: name, x, dim, keepdim, correction");
    return reduce_plain(arguments).release().ptr();
  } catch (const std::exception&) {
    raise_current_exception();
    return nullptr;
  }
}

template <class T>
T* pointer_to(std::int64_t address) {
  return reinterpret_cast<T*>(address);
}

PyObject* normalised_gradients_entry(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  try {
    if (count != 11) throw_python(true, "_normalised_gradients takes 11 arguments");
    std::int64_t number[9];
    for (int i = 0; i < 9; ++i) number[i] = PyLong_AsLongLong(arguments[i + 2]);
    const double epsilon = PyFloat_AsDouble(arguments[1]);
    if (PyErr_Occurred() != nullptr) return nullptr;
    const auto type = read_torch_dtype(arguments[0]);
    if (!type) throw_python(true, "_normalised_gradients: unknown dtype");
    const auto [device, is_centred, rows, n, x, g, weight, normal, out] = number;
    const auto to_count = [](std::int64_t value) { return static_cast<std::size_t>(value); };
    const int gpu = static_cast<int>(device);
    gpu_gradients(
        {is_centred != 0, epsilon, to_count(rows), to_count(n), type->type, pointer_to<void>(x),
         pointer_to<void>(g), pointer_to<float>(weight), pointer_to<float>(normal), pointer_to<void>(out)},
        gpu, {canonical_stream(torch_stream(gpu)), "torch"});
    return Py_NewRef(Py_None);
  } catch (const std::exception&) {
    raise_current_exception();
    return nullptr;
  }
}

PyMethodDef methods_of_torch[] = {
    {"_normalised_gradients",
     reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&normalised_gradients_entry)), METH_FASTCALL,
     nullptr},
    {"_reduce_plain_tensor", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&reduce_plain_entry)),
     METH_FASTCALL, nullptr},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

void bind_torch_calls(nb::module_& module) {
  if (PyModule_AddFunctions(module.ptr(), methods_of_torch) != 0) throw nb::python_error();
}

}  // namespace exactdot::python

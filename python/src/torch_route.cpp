// Implementation of torch_route.hpp: PyTorch answers by functions of its extension, in some tens of nanoseconds
// each.
#include <python/src/known_types.hpp>
#include <python/src/torch_route.hpp>
#include <python/src/torch_tensor.hpp>

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

/// Whether make_fx with pre_dispatch records the calls of this thread, by a stack of modes of its own.
bool is_traced_before_dispatch() {
  static PyObject *function = nullptr, *keys = nullptr, *key = nullptr;
  PyObject* const is_included = loaded_attribute(function, "torch._C", "_dispatch_tls_is_dispatch_key_included");
  PyObject* const all = loaded_attribute(keys, "torch._C", "DispatchKey");
  if (key == nullptr && all != nullptr) key = PyObject_GetAttrString(all, "PreDispatch");
  const nb::object answer = is_included != nullptr && key != nullptr
                                ? nb::steal(PyObject_Vectorcall(is_included, &key, 1, nullptr))
                                : nb::object();
  PyErr_Clear();  // of a version without it
  return answer.is_valid() && answer.ptr() == Py_True;
}

}  // namespace

bool is_unwatched() {
  static PyObject* cache[3] = {};
  return says_no(cache[0], "_len_torch_dispatch_stack") && says_no(cache[1], "_are_functorch_transforms_active") &&
         says_no(cache[2], "_get_tracing_state") && !is_traced_before_dispatch();
}

bool has_forward_derivatives() {
  static PyObject* forward = nullptr;
  static const attribute_name level("_current_level");
  PyObject* const forward_ad = loaded_attribute(forward, "torch.autograd", "forward_ad");
  const nb::object current = forward_ad != nullptr ? level.of(forward_ad) : nb::object();
  const long depth = current.is_valid() ? PyLong_AsLong(current.ptr()) : 0;
  const bool is_unknown = PyErr_Occurred() != nullptr;  // a version that keeps it elsewhere: it may have them
  PyErr_Clear();
  return depth >= 0 || is_unknown;
}

bool is_autocast() {
  static PyObject* cache = nullptr;
  return !says_no(cache, "_is_any_autocast_enabled");
}

bool computes_gradients() {
  static PyObject* cache = nullptr;
  return !says_no(cache, "is_grad_enabled");
}

bool requires_gradient(PyObject* x) {
  const nb::object answer = names_of_tensors().requires_grad.of(x);
  if (!answer.is_valid()) throw nb::python_error();
  return answer.ptr() != Py_False;
}

namespace {

/// A value that no operator looks into: a number, a dtype or None.
bool is_value(PyObject* x) {
  static PyObject* dtype = nullptr;
  return x == Py_None || PyLong_CheckExact(x) != 0 || PyFloat_CheckExact(x) != 0 || PyBool_Check(x) != 0 ||
         reinterpret_cast<PyObject*>(Py_TYPE(x)) == loaded_attribute(dtype, "torch", "dtype");
}

/// Whether all arguments are plain tensors, values, or lists of these; notes whether one requires a gradient.
bool are_plain(PyObject* const* arguments, Py_ssize_t count, bool& needs_gradient) {
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* const x = arguments[i];
    if (is_value(x)) continue;
    if (has_plain_type(x)) {
      plain_tensor described;
      if (!describe_tensor(x, described)) return false;
      needs_gradient = needs_gradient || requires_gradient(x);
      continue;
    }
    if (PyList_CheckExact(x) == 0) return false;
    for (Py_ssize_t k = 0; k < PyList_Size(x); ++k) {
      PyObject* const item = PyList_GetItem(x, k);
      if (!are_plain(&item, 1, needs_gradient)) return false;
    }
  }
  return true;
}

}  // namespace

route route_of(PyObject* const* arguments, Py_ssize_t count) {
  bool needs_gradient = false;
  if (!is_unwatched() || !are_plain(arguments, count, needs_gradient)) return route::dispatcher;
  if (has_forward_derivatives()) return route::gradient;  // whose refusal names what is missing
  return needs_gradient && computes_gradients() ? route::gradient : route::engine;
}

}  // namespace exactdot::python

// The short ways of exactdot.torch: a reduction of one or two plain tensors, and normalised rows of one, in
// compiled code from the checks to the result; and the gradients of normalised rows on a GPU, by the addresses of
// tensors that _normalisation_operators.py has checked.
//
// Python's layers (dispatcher, checks of every argument, autograd) take several times as long as a short sum. What
// needs them (gradients, modes, transforms, tracing, autocast, other layouts and results) is left to them: None is
// returned before anything is done. Cost: docs/experiments.md.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <python/src/arguments.hpp>
#include <python/src/exceptions.hpp>
#include <python/src/gil.hpp>
#include <python/src/gpu_batches.hpp>
#include <python/src/known_types.hpp>
#include <python/src/reductions.hpp>
#include <python/src/torch_route.hpp>
#include <python/src/torch_tensor.hpp>
#include <string>
#include <utility>

namespace exactdot::python {
namespace {

/// Describes a tensor that the engine reads, or writes to, as it is: false for one whose gradient autograd has to
/// see, or that PyTorch has not negated yet.
bool read_plain(PyObject* object, plain_tensor& x) {
  if (!has_plain_type(object) || !describe_tensor(object, x)) return false;
  if (requires_gradient(object) && computes_gradients()) return false;
  const nb::object negated = names_of_tensors().is_neg.called(object);
  if (!negated.is_valid()) throw nb::python_error();
  return negated.ptr() == Py_False;
}

/// Whether the bytes within which they lie overlap; strides of tensors are not negative.
bool overlap(const plain_tensor& x, const plain_tensor& y) {
  const auto end = [](const plain_tensor& of) {
    std::int64_t last = 0;
    for (int i = 0; i < of.dimensions; ++i) last += (of.shape[i] - 1) * of.strides[i];
    return static_cast<const char*>(of.data) + (last + 1) * static_cast<std::int64_t>(size_of(of.type));
  };
  return x.data < end(y) && y.data < end(x);
}

bool is_expanded(const plain_tensor& x) {
  for (int i = 0; i < x.dimensions; ++i) {
    if (x.strides[i] == 0 && x.shape[i] > 1) return true;
  }
  return false;
}

bool is_fraction(PyObject* correction) {
  if (PyFloat_CheckExact(correction) == 0) return false;
  const double value = PyFloat_AsDouble(correction);
  return value != std::trunc(value);
}

/// The types that exactdot.torch gives results by default: of sums and products of integers 64-bit ones. Nothing
/// where the caller has to name one.
std::optional<element_type> default_type(reduction what, const plain_tensor& x) {
  if (gives_element(what) || !is_integer(x.type)) return x.type;
  if (what != reduction::sum && what != reduction::dot) return std::nullopt;
  return what == reduction::sum && x.type == element_type::uint64 ? x.type : element_type::int64;
}

/// The type of the results, which may be named by a torch.dtype. Nothing if it is none for them.
std::optional<element_type> result_type(reduction what, const plain_tensor& x, PyObject* dtype) {
  if (dtype == Py_None) return default_type(what, x);
  const auto named = read_torch_dtype(dtype);
  if (!named || named->is_boolean || gives_element(what)) return std::nullopt;
  const bool gives_integers = (what == reduction::sum || what == reduction::dot) && is_integer(x.type);
  const bool is_known =
      !is_integer(named->type) ||
      (gives_integers && (named->type == element_type::int64 || named->type == element_type::uint64));
  return is_known ? std::optional(named->type) : std::nullopt;
}

/// Dims of an array of `dimensions`, a bit each: one integer, a list or a tuple of them; None and an empty one:
/// all. Nothing if one is no integer, out of range or named twice, of which the error has PyTorch's type.
std::optional<unsigned> read_dims(PyObject* dim, int dimensions) {
  const unsigned all = (1U << dimensions) - 1;
  if (dim == Py_None) return all;
  unsigned dims = 0;
  const auto add = [&](PyObject* number) {
    if (number == nullptr || PyLong_CheckExact(number) == 0) return false;
    const Py_ssize_t i = PyLong_AsSsize_t(number);
    if (PyErr_Occurred() != nullptr || i < -dimensions || i >= dimensions) {
      PyErr_Clear();
      return false;
    }
    const unsigned bit = 1U << (i < 0 ? i + dimensions : i);
    return std::exchange(dims, dims | bit) != (dims | bit);
  };
  if (PyLong_CheckExact(dim) != 0) return add(dim) ? std::optional(dims) : std::nullopt;
  const bool is_list = PyList_CheckExact(dim) != 0;
  if (!is_list && PyTuple_CheckExact(dim) == 0) return std::nullopt;
  const Py_ssize_t count = is_list ? PyList_Size(dim) : PyTuple_Size(dim);
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (!add(is_list ? PyList_GetItem(dim, i) : PyTuple_GetItem(dim, i))) return std::nullopt;
  }
  return count != 0 ? dims : all;
}

/// What the engine calls these dims: an integer, from the end, or a tuple.
nb::object axis_of(unsigned dims, int dimensions) {
  if (std::has_single_bit(dims)) return nb::int_(std::countr_zero(dims) - dimensions);
  nb::list axes;
  for (int i = 0; dims >> i != 0; ++i) {
    if ((dims >> i & 1) != 0) axes.append(i);
  }
  return nb::tuple(axes);
}

/// The shape of the results over these dims.
void set_reduced_shape(const plain_tensor& x, unsigned dims, bool keeps_dims, plain_tensor& result) {
  result.dimensions = 0;
  for (int i = 0; i < x.dimensions; ++i) {
    const bool is_reduced = (dims >> i & 1) != 0;
    if (!is_reduced || keeps_dims) result.shape[result.dimensions++] = is_reduced ? 1 : x.shape[i];
  }
}

/// A tensor of no element for each type and device, from which PyTorch makes new ones in half the time of parsing
/// these. Null where PyTorch makes another, as within a mode of the program's own.
PyObject* kept_tensor(const plain_tensor& form) {
  static auto* const all = new std::vector<plain_tensor>;
  for (const plain_tensor& each : *all) {
    if (each.has_type_of(form) && each.is_beside(form)) return each.object;
  }
  const nb::module_ torch = nb::module_::import_("torch");
  const nb::object device =
      form.is_in_cuda_memory() ? torch.attr("device")("cuda", form.device.index) : torch.attr("device")("cpu");
  const char* const name = form.is_boolean ? "bool" : name_of(form.type).data();
  nb::object made = torch.attr("empty")(0, nb::arg("dtype") = torch.attr(name), nb::arg("device") = device);
  plain_tensor kept;
  if (!has_plain_type(made.ptr()) || !describe_tensor(made.ptr(), kept)) return nullptr;
  if (!kept.has_type_of(form) || !kept.is_beside(form)) return nullptr;
  all->push_back(kept);
  return made.release().ptr();
}

/// A new tensor of this type, device and shape, which `out` describes; invalid where PyTorch makes another.
nb::object new_tensor(const plain_tensor& form, plain_tensor& out) {
  static PyObject* const new_empty = PyUnicode_InternFromString("new_empty");
  static PyObject* const names = PyTuple_Pack(1, PyUnicode_InternFromString("size"));
  PyObject* const kept = kept_tensor(form);
  if (kept == nullptr) return {};
  const nb::object lengths = nb::steal(PyTuple_New(form.dimensions));
  for (int i = 0; i < form.dimensions; ++i) {
    PyTuple_SetItem(lengths.ptr(), i, PyLong_FromLongLong(form.shape[i]));
  }
  PyObject* const arguments[] = {kept, lengths.ptr()};  // a tuple without its name takes PyTorch twice the time
  nb::object made = nb::steal(PyObject_VectorcallMethod(new_empty, arguments, 1, names));
  if (!made.is_valid()) throw nb::python_error();
  const bool is_right = has_plain_type(made.ptr()) && describe_tensor(made.ptr(), out) && out.has_type_of(form) &&
                        out.is_beside(form) && out.has_shape_of(form);
  return is_right ? made : nb::object();
}

/// Tells autograd that a tensor is about to change, as PyTorch's own functions with out= do. Throws PyTorch's error
/// for one that may not.
void increment_version(PyObject* tensor) {
  static PyObject* function = nullptr;
  PyObject* const increment = loaded_attribute(function, "torch.autograd.graph", "increment_version");
  const nb::object done =
      increment != nullptr ? nb::steal(PyObject_Vectorcall(increment, &tensor, 1, nullptr)) : nb::object();
  if (PyErr_Occurred() != nullptr) throw nb::python_error();
}

const reduction_function* function_named(PyObject* name) {
  const auto found = std::ranges::find_if(functions, [&](const reduction_function& each) {
    const bool is_usual = each.takes == shapes::axes || each.takes == shapes::vectors ||
                          each.takes == shapes::pairs || each.takes == shapes::matrix_vector ||
                          each.takes == shapes::normalised;
    return is_usual && PyUnicode_CompareWithASCIIString(name, each.signature.name) == 0;
  });
  return found == functions.end() ? nullptr : &*found;
}

/// Whether a product of these tensors is one of one type, whose elements lie along dims of one length; `both` gets
/// the shape to which they broadcast.
bool are_factors(shapes takes, const plain_tensor& x, const plain_tensor& y, unsigned dims, plain_tensor& both) {
  if (!x.has_type_of(y) || !x.is_beside(y)) return false;
  both = x.dimensions >= y.dimensions ? x : y;
  if (takes == shapes::matrix_vector) return x.dimensions == 2 && y.dimensions == 1 && x.shape[1] == y.shape[0];
  if (takes != shapes::pairs) return x.dimensions == 1 && x.has_shape_of(y);
  for (int i = 0; i < both.dimensions; ++i) {
    const int of_x = i - both.dimensions + x.dimensions, of_y = i - both.dimensions + y.dimensions;
    const std::int64_t n = of_x < 0 ? 1 : x.shape[of_x], m = of_y < 0 ? 1 : y.shape[of_y];
    const bool is_element_axis = (dims >> i & 1) != 0;
    if (n != m && (is_element_axis || (n != 1 && m != 1))) return false;
    if (is_element_axis && (of_x < 0 || of_y < 0)) return false;
    both.shape[i] = n == 1 ? m : n;
  }
  return true;
}

/// The result, or None for a call that is not plain.
nb::object reduce_plain(PyObject* const* arguments) {
  const struct {
    PyObject *name, *x, *y, *dim, *keepdim, *correction, *dtype, *out;
  } call{arguments[0], arguments[1], arguments[2], arguments[3],
         arguments[4], arguments[5], arguments[6], arguments[7]};
  const reduction_function* const function = function_named(call.name);
  plain_tensor x, y, result;
  if (function == nullptr || PyBool_Check(call.keepdim) == 0 || !read_plain(call.x, x) || x.dimensions == 0)
    return nb::none();
  const bool has_two = call.y != Py_None;
  if (has_two && (!read_plain(call.y, y) || y.dimensions == 0)) return nb::none();
  const auto type = result_type(function->what, x, call.dtype);
  if (!type || !is_unwatched() || has_forward_derivatives() || is_autocast()) return nb::none();

  const bool takes_axis = function->takes == shapes::axes || function->takes == shapes::pairs;
  const int dimensions = std::max(x.dimensions, y.dimensions);
  const auto dims = function->takes == shapes::matrix_vector ? std::optional(2U) : read_dims(call.dim, dimensions);
  if (!dims || (function->takes == shapes::pairs && PyLong_CheckExact(call.dim) == 0)) return nb::none();
  if (is_fraction(call.correction) && requires_gradient(call.x)) return nb::none();  // Python computes these
  plain_tensor both = x;
  if (has_two && !are_factors(function->takes, x, y, *dims, both)) return nb::none();
  const bool keeps_dims = call.keepdim == Py_True;
  result.type = *type, result.is_boolean = x.is_boolean && gives_element(function->what), result.device = x.device;
  set_reduced_shape(both, *dims, keeps_dims, result);
  plain_tensor out;
  nb::object made;
  if (call.out == Py_None) {
    made = new_tensor(result, out);
    if (!made.is_valid()) return nb::none();
  } else {
    const bool is_right =
        read_plain(call.out, out) && out.has_type_of(result) && out.is_beside(result) && out.has_shape_of(result);
    if (!is_right || is_expanded(out) || overlap(out, x) || (has_two && overlap(out, y))) return nb::none();
    if (names_of_tensors().is_inference.called(call.out).ptr() != Py_False)
      return nb::none();  // PyTorch may refuse it
    increment_version(call.out);
    made = nb::borrow(call.out);
  }
  const plain_tensor* const described[] = {&x, &out, &y};
  call_arguments given;
  given.described = std::span(described).first(has_two ? 3 : 2);
  given.inputs[0] = call.x, given.keywords[out_parameter] = made.ptr();
  if (has_two) given.inputs[1] = call.y;
  nb::object axis;
  if (takes_axis && result.dimensions != 0)
    axis = axis_of(*dims, dimensions), given.keywords[axis_parameter] = axis.ptr();
  if (takes_axis && keeps_dims) given.keywords[keepdims_parameter] = call.keepdim;
  if (call.correction != Py_None) given.keywords[ddof_parameter] = call.correction;
  compute_named(*function, given);
  return made;
}

bool is_contiguous(const plain_tensor& x) {
  std::int64_t next = 1;
  for (int i = x.dimensions; i-- != 0;) {
    if (x.shape[i] == 0) return false;
    if (x.shape[i] != 1 && x.strides[i] != next) return false;
    next *= x.shape[i];
  }
  return true;
}

/// Whether it is n, or a tuple or list of n alone.
bool is_length(PyObject* shape, std::int64_t n) {
  const bool is_list = PyList_CheckExact(shape) != 0;
  PyObject* length = shape;
  if (is_list || PyTuple_Check(shape) != 0) {
    if ((is_list ? PyList_Size(shape) : PyTuple_Size(shape)) != 1) return false;
    length = is_list ? PyList_GetItem(shape, 0) : PyTuple_GetItem(shape, 0);
  }
  const bool is_equal = length != nullptr && PyLong_CheckExact(length) != 0 && PyLong_AsLongLong(length) == n;
  PyErr_Clear();
  return is_equal;
}

/// x normalised along its last dim, or None for a call that is not plain.
nb::object normalise_plain(PyObject* const* arguments) {
  const struct {
    PyObject *name, *x, *shape, *weight, *bias, *epsilon;
  } call{arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]};
  const reduction_function* const function = function_named(call.name);
  plain_tensor x;
  if (function == nullptr || !read_plain(call.x, x) || x.dimensions == 0) return nb::none();
  if (is_integer(x.type) || size_of(x.type) == 1) return nb::none();
  const std::int64_t n = x.shape[x.dimensions - 1];
  if (PyFloat_CheckExact(call.epsilon) == 0 || !is_contiguous(x) || !is_length(call.shape, n)) return nb::none();
  std::optional<element_type> of_parameters;
  for (PyObject* const each : {call.weight, call.bias}) {
    plain_tensor p;
    if (each == Py_None) continue;
    if (!read_plain(each, p) || p.dimensions != 1 || p.shape[0] != n || !is_contiguous(p) || !p.is_beside(x))
      return nb::none();
    const bool is_right = p.type == x.type || (p.type == element_type::float32 && size_of(x.type) == 2);
    if (!is_right || of_parameters.value_or(p.type) != p.type) return nb::none();
    of_parameters = p.type;
  }
  if (!is_unwatched() || has_forward_derivatives() || is_autocast()) return nb::none();
  plain_tensor out;
  nb::object made = new_tensor(x, out);
  if (!made.is_valid()) return nb::none();
  const plain_tensor* const described[] = {&x, &out};
  call_arguments given;
  given.described = described;
  given.inputs[0] = call.x, given.inputs[1] = call.weight, given.inputs[2] = call.bias;
  given.keywords[epsilon_parameter] = call.epsilon, given.keywords[out_parameter] = made.ptr();
  compute_named(*function, given);
  return made;
}

template <class T>
T* pointer_to(std::int64_t address) {
  return reinterpret_cast<T*>(address);
}

/// By the numbers that rows_in_one_launch of _normalisation_operators.py passes.
nb::object normalised_gradients(PyObject* const* arguments) {
  std::int64_t number[9];
  for (int i = 0; i < 9; ++i) number[i] = PyLong_AsLongLong(arguments[i + 2]);
  const double epsilon = PyFloat_AsDouble(arguments[1]);
  if (PyErr_Occurred() != nullptr) throw nb::python_error();
  const auto type = read_torch_dtype(arguments[0]);
  if (!type) throw_python(true, "_normalised_gradients: unknown dtype");
  const auto [device, is_centred, rows, n, x, g, weight, normal, out] = number;
  const auto to_count = [](std::int64_t value) { return static_cast<std::size_t>(value); };
  const int gpu = static_cast<int>(device);
  gpu_gradients({is_centred != 0, epsilon, to_count(rows), to_count(n), type->type, pointer_to<void>(x),
                 pointer_to<void>(g), pointer_to<float>(weight), pointer_to<float>(normal), pointer_to<void>(out)},
                gpu, {canonical_stream(torch_stream(gpu)), "torch"});
  return nb::none();
}

/// What Python calls: a function of so many arguments, or of any number.
template <auto function, Py_ssize_t count>
PyObject* entry(PyObject*, PyObject* const* arguments, Py_ssize_t given) {
  try {
    if constexpr (count < 0) {
      return nb::int_(static_cast<int>(function(arguments, given))).release().ptr();
    } else {
      if (given != count) {
        throw_python(true, "a function of exactdot.torch takes " + std::to_string(count) + " arguments");
      }
      return function(arguments).release().ptr();
    }
  } catch (const std::exception&) {
    raise_current_exception();
    return nullptr;
  }
}

template <auto function, Py_ssize_t count>
PyMethodDef method(const char* name) {
  return {name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&entry<function, count>)), METH_FASTCALL,
          nullptr};
}

PyMethodDef methods_of_torch[] = {method<&normalised_gradients, 11>("_normalised_gradients"),
                                  method<&reduce_plain, 8>("_reduce_plain_tensors"),
                                  method<&normalise_plain, 6>("_normalise_plain_tensors"),
                                  method<&route_of, -1>("_route"),
                                  {nullptr, nullptr, 0, nullptr}};

}  // namespace

void bind_torch_calls(nb::module_& module) {
  if (PyModule_AddFunctions(module.ptr(), methods_of_torch) != 0) throw nb::python_error();
}

}  // namespace exactdot::python

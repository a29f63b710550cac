// Implementation of keywords.hpp.
#include <nanobind/nanobind.h>

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <python/src/keywords.hpp>

namespace exactdot::python {
namespace {

struct parameter_info {
  const char* name;
  const char* default_text;
};

constexpr parameter_info parameters[parameter_count] = {{"axis", "None"},
                                                        {"keepdims", "False"},
                                                        {"ddof", "0"},
                                                        {"correction", "None"},
                                                        {"mean", "None"},
                                                        {"ord", "2"},
                                                        {"joined", "False"},
                                                        {"epsilon", "None"},
                                                        {"mode", "'exact'"},
                                                        {"dtype", "None"},
                                                        {"threads", "0"},
                                                        {"device", "'auto'"},
                                                        {"out", "None"},
                                                        {"add_to", "None"},
                                                        {"stream", "None"},
                                                        {"negative_zero", "False"},
                                                        {"skip_out_of_range", "False"},
                                                        {"where", "None"},
                                                        {"skip_nan", "False"},
                                                        {"initial", "None"},
                                                        {"rowvar", "True"}};

/// What other libraries call a parameter.
constexpr struct {
  const char* foreign;
  parameter meant;
} foreign_names[] = {{"dim", axis_parameter},           {"dims", axis_parameter},
                     {"axes", axis_parameter},          {"keepdim", keepdims_parameter},
                     {"keep_dims", keepdims_parameter}, {"unbiased", correction_parameter},
                     {"unbiased", ddof_parameter},      {"p", ord_parameter},
                     {"eps", epsilon_parameter},
                     {"mask", where_parameter},
                     {"skipna", skip_nan_parameter},
                     {"ignore_nulls", skip_nan_parameter}};

bool is_one_of(PyObject* name, std::initializer_list<const char*> names) {
  return std::any_of(names.begin(), names.end(),
                     [&](const char* each) { return PyUnicode_CompareWithASCIIString(name, each) == 0; });
}

constexpr const char* positional_names[] = {"x",      "a",      "b",    "offsets", "keys",
                                            "groups", "weight", "bias", "y",       "weights"};
constexpr int name_count = std::size(positional_names);

/// The index of the name of a positional parameter.
int name_index(const function_signature& signature, int i) {
  if (i < signature.inputs) {
    if (signature.inputs == 1 || signature.named == input_names::a_and_b) return signature.inputs - 1 + i;
    return i == 0 ? 0 : signature.named == input_names::x_and_y ? 8 : 9;
  }
  if (signature.after == shape_arguments::offsets) return 3;
  if (signature.normalises()) return 6 + i - signature.inputs;
  return 4 + i - signature.inputs;
}

/// Interned, so that almost every comparison is one of addresses.
PyObject* keyword_names[parameter_count];
PyObject* positional_name_objects[name_count];

bool is_name(PyObject* given, PyObject* known) { return given == known || PyUnicode_Compare(given, known) == 0; }

/// The place for a keyword argument of this name; null if the function has no such parameter.
PyObject** find_place(const function_signature& signature, PyObject* name, call_arguments& parsed) {
  for (unsigned i = 0; i < parameter_count; ++i) {
    if (signature.has(i) && is_name(name, keyword_names[i])) return &parsed.keywords[i];
  }
  for (int i = 0; i < signature.positional(); ++i) {
    if (is_name(name, positional_name_objects[name_index(signature, i)])) return &parsed.inputs[i];
  }
  return nullptr;
}

/// NumPy's and PyTorch's norms take the order there, other functions the axis.
constexpr const char* norm_arguments = "one array, x, and name what follows: axis= or ord=";

bool refuse_count(const function_signature& signature, Py_ssize_t count) {
  PyErr_Format(PyExc_TypeError, "%s: %zd positional arguments; use %s", signature.name, count,
               signature.after == shape_arguments::offsets ? "arrays, offsets and keyword arguments"
               : signature.after == shape_arguments::keys  ? "arrays, keys, groups and keyword arguments"
               : signature.normalises()                    ? "x, weight, of layer_norm bias, and keyword arguments"
               : signature.has_positional_axis()           ? "one array, x, an axis, and keyword arguments"
               : signature.is_norm                         ? norm_arguments
               : signature.inputs == 1                     ? "one array, x, and keyword arguments"
               : signature.named == input_names::a_and_b   ? "two arrays, a and b, and keyword arguments"
                                                           : "two arrays and keyword arguments");
  return false;
}

/// The rest of the sentence about an argument that the function does not have, under any name.
const char* way_out_of(const function_signature& signature, PyObject* name) {
  const bool has_keys = signature.after == shape_arguments::keys;
  if (is_one_of(name, {"mode"}) && has_keys) {
    return "; groups have no order, which mode fast adds in, so they are always exact";
  }
  if (is_one_of(name, {"add_to"}) && has_keys) return "; only sums and dots are added to an array";
  if (!is_one_of(name, {"axis", "dim", "dims", "axes"}) || signature.has(axis_parameter)) return "";
  if (has_keys) return "; keys go along the first axis, to which np.moveaxis moves another one";
  if (signature.normalises())
    return "; arrays are normalised along their last axis, to which np.moveaxis moves another one";
  if (signature.after == shape_arguments::offsets) return "; segments are of vectors, arrays of one dimension";
  return signature.inputs == 2 ? "; use vecdot, which has axis" : "; each array of the list is one vector";
}

bool refuse_name(const function_signature& signature, PyObject* name, bool is_known) {
  if (is_known) {
    PyErr_Format(PyExc_TypeError, "%s: argument '%U' twice", signature.name, name);
    return false;
  }
  for (const auto& known : foreign_names) {
    if (!signature.has(known.meant) || PyUnicode_CompareWithASCIIString(name, known.foreign) != 0) continue;
    PyErr_Format(PyExc_TypeError, "%s: unknown argument '%U'; use %s", signature.name, name,
                 parameters[known.meant].name);
    return false;
  }
  PyErr_Format(PyExc_TypeError, "%s: unknown argument '%U'%s", signature.name, name, way_out_of(signature, name));
  return false;
}

}  // namespace

names_of_two names_of_inputs(const function_signature& signature) {
  return {positional_names[name_index(signature, 0)], positional_names[name_index(signature, 1)]};
}

const char* name_of_parameter(unsigned keyword) { return parameters[keyword].name; }

void intern_parameter_names() {
  for (unsigned i = 0; i < parameter_count; ++i) keyword_names[i] = PyUnicode_InternFromString(parameters[i].name);
  for (int i = 0; i < name_count; ++i) {
    positional_name_objects[i] = PyUnicode_InternFromString(positional_names[i]);
  }
}

bool parse_call(const function_signature& signature, PyObject* const* arguments, Py_ssize_t count, PyObject* names,
                call_arguments& parsed) {
  const Py_ssize_t taken = signature.positional();
  if (count > taken + (signature.has_positional_axis() ? 1 : 0)) return refuse_count(signature, count);
  for (Py_ssize_t i = 0; i < count && i < taken; ++i) parsed.inputs[i] = arguments[i];
  if (count > taken) parsed.keywords[axis_parameter] = arguments[taken];
  const Py_ssize_t named = names != nullptr ? NB_TUPLE_GET_SIZE(names) : 0;
  for (Py_ssize_t i = 0; i < named; ++i) {
    PyObject* const name = NB_TUPLE_GET_ITEM(names, i);
    PyObject** const place = find_place(signature, name, parsed);
    if (place == nullptr || *place != nullptr) return refuse_name(signature, name, place != nullptr);
    *place = arguments[count + i];
  }
  for (int i = 0; i < signature.required(); ++i) {
    if (parsed.inputs[i] != nullptr) continue;
    PyErr_Format(PyExc_TypeError, "%s: argument '%s' is missing", signature.name,
                 positional_names[name_index(signature, i)]);
    return false;
  }
  return true;
}

std::string text_signature(const function_signature& signature) {
  std::string text = std::string(signature.name) + "(";
  for (int i = 0; i < signature.positional(); ++i) {
    text += std::string(positional_names[name_index(signature, i)]) + (i < signature.required() ? ", " : "=None, ");
  }
  if (signature.has_positional_axis()) text += "axis=None, ";
  text += "*";
  for (unsigned i = 0; i < parameter_count; ++i) {
    if (i == axis_parameter && signature.has_positional_axis()) continue;
    const bool is_of_layers = i == epsilon_parameter && signature.after == shape_arguments::weight_and_bias;
    const char* const otherwise = is_of_layers                                 ? "1e-05"
                                  : i == ddof_parameter && signature.ddof == 1 ? "1"
                                                                               : parameters[i].default_text;
    if (signature.has(i)) text += std::string(", ") + parameters[i].name + "=" + otherwise;
  }
  return text + ")\n--\n\n";
}

}  // namespace exactdot::python

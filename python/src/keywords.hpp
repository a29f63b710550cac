// The parameters of the package's functions: one table, from which calls are parsed and signatures written.
//
// The functions are plain built-in functions of Python (METH_FASTCALL): inspect.signature and pickle know them, and
// a call costs less than through a binding library.
#pragma once

#include <Python.h>

#include <cstddef>
#include <span>
#include <string>

namespace exactdot::python {

struct plain_tensor;  // torch_tensor.hpp

/// Keyword parameters in the order of signatures.
enum parameter : unsigned {
  axis_parameter,
  keepdims_parameter,
  ddof_parameter,
  correction_parameter,
  mean_parameter,
  ord_parameter,
  joined_parameter,
  epsilon_parameter,
  mode_parameter,
  dtype_parameter,
  threads_parameter,
  device_parameter,
  out_parameter,
  add_to_parameter,
  stream_parameter,
  negative_zero_parameter,
  skip_parameter,
  where_parameter,
  skip_nan_parameter,
  initial_parameter,
  rowvar_parameter,
  parameter_count
};

/// What follows the inputs of a function.
enum class shape_arguments : unsigned char {
  none,
  offsets,  ///< of segments
  keys,     ///< of groups, and, as an optional positional argument, their number
  weight,   ///< of normalised arrays, which is optional
  weight_and_bias,
};

/// The names of two inputs.
enum class input_names : unsigned char { a_and_b, x_and_y, x_and_weights };

/// What a function takes: one array x, two, a and b, or none; what says which elements belong to which result; and
/// some of the keyword parameters.
struct function_signature {
  const char* name;
  int inputs;
  unsigned keywords;  // bit i: parameter i
  shape_arguments after = shape_arguments::none;
  bool is_norm = false;  // whose second argument is the order elsewhere: the axis has to be named
  input_names named = input_names::a_and_b;
  int ddof = 0;  // the default of ddof, that of the reduction
  bool of_one = false;  // the second of two inputs may be left out

  /// Inputs, and what says which elements belong to which result.
  [[nodiscard]] int leading() const { return inputs + (after == shape_arguments::none || normalises() ? 0 : 1); }
  [[nodiscard]] bool normalises() const { return after >= shape_arguments::weight; }
  [[nodiscard]] int required() const { return leading() - (of_one ? 1 : 0); }
  [[nodiscard]] int positional() const {
    if (after == shape_arguments::weight_and_bias) return leading() + 2;
    return leading() + (after >= shape_arguments::keys ? 1 : 0);
  }
  [[nodiscard]] bool has(unsigned keyword) const { return (keywords >> keyword & 1) != 0; }
  /// Whether the axis may follow the array without its name, as in NumPy.
  [[nodiscard]] bool has_positional_axis() const { return inputs == 1 && has(axis_parameter) && !is_norm; }
};

/// The arguments of a call, borrowed. Keyword arguments that were not passed are null.
struct call_arguments {
  PyObject* inputs[4] = {};  // positional ones; the number of groups may be null
  PyObject* keywords[parameter_count] = {};
  std::span<const plain_tensor* const> described;  // PyTorch's descriptions of tensors among them
};

/// The names of the inputs of a function that has two.
struct names_of_two {
  const char *first, *second;
};
names_of_two names_of_inputs(const function_signature& signature);

/// The name of a keyword parameter.
const char* name_of_parameter(unsigned keyword);

/// Creates the names of the parameters; called once, when the module is loaded.
void intern_parameter_names();

/// Assigns the arguments of a METH_FASTCALL | METH_KEYWORDS call to parameters. Returns false, with TypeError set,
/// if they do not match the signature.
bool parse_call(const function_signature& signature, PyObject* const* arguments, Py_ssize_t count,
                PyObject* keyword_names, call_arguments& parsed);

/// "sum(x, *, mode='exact', …)\n--\n\n", as CPython expects it at the start of a built-in function's docstring.
std::string text_signature(const function_signature& signature);

}  // namespace exactdot::python

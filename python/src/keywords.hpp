// The parameters of the package's functions: one table, from which calls are parsed and signatures written.
//
// The functions are plain built-in functions of Python (METH_FASTCALL): inspect.signature and pickle know them, and
// a call costs less than through a binding library.
#pragma once

#include <Python.h>

#include <cstddef>
#include <string>

namespace exactdot::python {

/// Keyword parameters in the order of signatures.
enum parameter : unsigned {
  axis_parameter,
  keepdims_parameter,
  ddof_parameter,
  mode_parameter,
  dtype_parameter,
  threads_parameter,
  device_parameter,
  out_parameter,
  stream_parameter,
  negative_zero_parameter,
  parameter_count
};

/// What a function takes: one array x or two, a and b, perhaps offsets, and some of the keyword parameters.
struct function_signature {
  const char* name;
  int inputs;
  unsigned keywords;  // bit i: parameter i
  bool has_offsets = false;

  [[nodiscard]] int positional() const { return inputs + (has_offsets ? 1 : 0); }
  [[nodiscard]] bool has(unsigned keyword) const { return (keywords >> keyword & 1) != 0; }
};

/// The arguments of a call, borrowed. Keyword arguments that were not passed are null.
struct call_arguments {
  PyObject* inputs[3] = {};  // the last may be the offsets
  PyObject* keywords[parameter_count] = {};
};

/// Creates the names of the parameters; called once, when the module is loaded.
void intern_parameter_names();

/// Assigns the arguments of a METH_FASTCALL | METH_KEYWORDS call to parameters. Returns false, with TypeError set,
/// if they do not match the signature.
bool parse_call(const function_signature& signature, PyObject* const* arguments, Py_ssize_t count,
                PyObject* keyword_names, call_arguments& parsed);

/// "sum(x, *, mode='exact', …)\n--\n\n", as CPython expects it at the start of a built-in function's docstring.
std::string text_signature(const function_signature& signature);

}  // namespace exactdot::python

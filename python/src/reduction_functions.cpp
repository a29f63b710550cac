// Python's functions of reduction_table.hpp: each parses its arguments, computes (reductions.cpp) and gives the
// errors of the library its own name and words.
#include <algorithm>
#include <array>
#include <python/src/exceptions.hpp>
#include <python/src/gil.hpp>
#include <python/src/imported_array.hpp>
#include <python/src/keywords.hpp>
#include <python/src/reduction_docstrings.hpp>
#include <python/src/reduction_table.hpp>
#include <python/src/reductions.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace exactdot::python {
namespace {

/// What holds or rounds an integer result that did not fit. Whether int64 or uint64 does, the same call tells, once
/// more; not of iterators, which are at their ends, nor of what is added to an array.
std::string way_out_of_overflow(const reduction_function& function, call_arguments given) {
  PyObject *const out = given.keywords[out_parameter], *const added = given.keywords[add_to_parameter];
  if (added != nullptr && added != Py_None) return "use add_to of float64, which rounds it";
  const bool has_out = out != nullptr && out != Py_None && out != Py_Ellipsis;
  const std::string way = has_out ? "use out of " : "use dtype=", quote = has_out ? "" : "\"";
  given.keywords[out_parameter] = nullptr;
  const bool is_readable =
      std::ranges::none_of(given.inputs, [](PyObject* x) { return x != nullptr && PyIter_Check(x) != 0; });
  for (const char* const type : {"int64", "uint64"}) {
    const nb::str dtype(type);
    given.keywords[dtype_parameter] = dtype.ptr();
    try {
      if (!is_readable) break;
      compute(function, given);
      return way + quote + type + quote + ", which holds it";
    } catch (const error&) {                  // an interrupt of Python's is none
    } catch (const nb::builtin_exception&) {  // of a function without dtype
    }
  }
  return way + quote + "float64" + quote + ", which rounds it";
}

}  // namespace

nb::object compute_named(const reduction_function& function, const call_arguments& given) {
  const finalization_guard guard;
  try {
    return compute(function, given);
  } catch (const error& failure) {
    std::string sentence = failure.what();
    for (const std::string_view name :
         {std::string_view(name_of(function.what)), std::string_view("asum"), std::string_view("cuda")}) {
      if (!sentence.starts_with(name) || !std::string_view(sentence).substr(name.size()).starts_with(": "))
        continue;
      sentence.replace(0, name.size(), function.signature.name);
      break;
    }
    if (failure.code() == errc::overflow) sentence = with_way_out(sentence, way_out_of_overflow(function, given));
    throw error(failure.code(), sentence);
  }
}

namespace {

/// The function that Python calls.
template <std::size_t index>
PyObject* entry(PyObject*, PyObject* const* arguments, Py_ssize_t count, PyObject* names) {
  try {
    call_arguments given;
    if (!parse_call(functions[index].signature, arguments, count, names, given)) return nullptr;
    return compute_named(functions[index], given).release().ptr();
  } catch (const std::exception&) {
    raise_current_exception();
    return nullptr;
  }
}

template <std::size_t... index>
void define(std::array<PyMethodDef, functions.size() + 1>& methods, std::index_sequence<index...>) {
  ((methods[index] = {functions[index].signature.name,
                      reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&entry<index>)),
                      METH_FASTCALL | METH_KEYWORDS,
                      (new std::string(text_signature(functions[index].signature) +
                                       reduction_docstring(functions[index].signature)))
                          ->c_str()}),
   ...);
}

}  // namespace

void bind_reductions(nb::module_& module) {
  static std::array<PyMethodDef, functions.size() + 1> methods{};  // the last one ends the list
  intern_parameter_names();
  define(methods, std::make_index_sequence<functions.size()>());
  if (PyModule_AddFunctions(module.ptr(), methods.data()) != 0) throw nb::python_error();
}

}  // namespace exactdot::python

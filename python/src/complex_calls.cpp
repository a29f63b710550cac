// Implementation of complex_calls.hpp.
#include <python/src/complex_calls.hpp>
#include <python/src/gil.hpp>
#include <python/src/imported_array.hpp>
#include <python/src/known_types.hpp>

namespace exactdot::python {

bool has_complex_elements(const reduction_function& function, const call_arguments& given) {
  const auto is_complex = [](PyObject* x) {
    if (is_masked(x)) return false;
    const nb::object dtype = find_attribute(x, "dtype");
    const nb::object kind = dtype.is_valid() ? find_attribute(dtype.ptr(), "kind") : nb::object();
    return kind.is_valid() && PyUnicode_Check(kind.ptr()) != 0 &&
           PyUnicode_CompareWithASCIIString(kind.ptr(), "c") == 0;
  };
  const bool has_parts = function.what == reduction::sum || function.what == reduction::mean ||
                         function.what == reduction::asum || function.what == reduction::sum_of_squares ||
                         function.what == reduction::nrm2 || function.what == reduction::dot;
  if (!has_parts || function.takes == shapes::lists || function.signature.inputs == 0) return false;
  return is_complex(given.inputs[0]) || (function.signature.inputs == 2 && is_complex(given.inputs[1]));
}

nb::object compute_complex(const reduction_function& function, const call_arguments& given) {
  const finalization_guard guard;
  const int inputs = function.signature.inputs;
  const nb::handle first = given.inputs[0], second = given.inputs[inputs - 1];
  const nb::object arrays = inputs == 2 ? nb::object(nb::make_tuple(first, second)) : nb::make_tuple(first);
  nb::list after;
  for (int i = inputs; i < function.signature.positional(); ++i) {
    if (given.inputs[i] != nullptr) after.append(nb::handle(given.inputs[i]));
  }
  nb::dict options;
  for (unsigned i = 0; i < parameter_count; ++i) {
    if (given.keywords[i] != nullptr) options[name_of_parameter(i)] = nb::handle(given.keywords[i]);
  }
  return nb::module_::import_("exactdot._complex")
      .attr("compute")(function.signature.name, std::string(name_of(function.what)).c_str(), arrays,
                       nb::tuple(after), options);
}

}  // namespace exactdot::python

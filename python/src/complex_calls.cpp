// Implementation of complex_calls.hpp.
#include <python/src/complex_calls.hpp>
#include <python/src/gil.hpp>
#include <python/src/imported_array.hpp>
#include <python/src/known_types.hpp>

namespace exactdot::python {

namespace {

/// How the terms of one sum extend to complex elements; null if they do not. By their factors: x is linear in the
/// parts, a·b has products of them, |x| and x² are sums over both.
const char* kind_of(reduction what) {
  const core::reduction_info& info = core::info_of(what);
  if (info.sums != 1) return nullptr;
  const core::term_info& term = core::term_at(info.term);
  if (term.inputs == 2) return term.absolute ? nullptr : "products";
  return term.factors == 1 && !term.absolute ? "parts" : "pairs";
}

}  // namespace

bool has_complex_elements(const reduction_function& function, const call_arguments& given) {
  const auto is_complex = [](PyObject* x) {
    if (is_masked(x)) return false;
    const nb::object dtype = find_attribute(x, "dtype");
    const nb::object kind = dtype.is_valid() ? find_attribute(dtype.ptr(), "kind") : nb::object();
    return kind.is_valid() && PyUnicode_Check(kind.ptr()) != 0 &&
           PyUnicode_CompareWithASCIIString(kind.ptr(), "c") == 0;
  };
  const bool is_of_vectors = function.takes != shapes::lists && function.takes != shapes::normalised;
  if (!is_of_vectors || function.signature.inputs == 0 || kind_of(function.what) == nullptr) return false;
  return is_complex(given.inputs[0]) || (function.signature.inputs == 2 && is_complex(given.inputs[1]));
}

nb::object compute_complex(const reduction_function& function, const call_arguments& given, const vectors& read) {
  const finalization_guard guard;
  const int inputs = function.signature.inputs;
  const bool was_iterator = PyIter_Check(given.inputs[0]) != 0;
  const nb::object first = was_iterator ? read.first.for_python() : nb::borrow(given.inputs[0]);
  const nb::object arrays =
      inputs == 2 ? nb::object(nb::make_tuple(first, nb::handle(given.inputs[1]))) : nb::make_tuple(first);
  nb::list after;
  for (int i = inputs; i < function.signature.positional(); ++i) {
    if (given.inputs[i] != nullptr) after.append(nb::handle(given.inputs[i]));
  }
  nb::dict options;
  for (unsigned i = 0; i < parameter_count; ++i) {
    if (given.keywords[i] != nullptr) options[name_of_parameter(i)] = nb::handle(given.keywords[i]);
  }
  return nb::module_::import_("exactdot._complex")
      .attr("compute")(function.signature.name, kind_of(function.what), arrays, nb::tuple(after), options);
}

}  // namespace exactdot::python

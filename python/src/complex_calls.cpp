// Implementation of complex_calls.hpp.
#include <algorithm>
#include <exactdot/complex.hpp>
#include <python/src/complex_calls.hpp>
#include <python/src/gil.hpp>
#include <python/src/given_arguments.hpp>
#include <python/src/host_call.hpp>
#include <python/src/number.hpp>
#include <python/src/output.hpp>

namespace exactdot::python {

void prepare_complex(const reduction_function& function, const call_arguments& given, vectors& inputs) {
  const std::string_view name(function.signature.name);
  const auto refuse = [&](const char* why) { throw_python(true, std::string(name) + why); };
  if (is_given(given, ord_parameter)) {
    const double order = PyFloat_AsDouble(given.keywords[ord_parameter]);
    PyErr_Clear();
    if (order != 2) refuse(": the order of a norm of complex elements is 2");
  }
  for (const imported_array* x : {&inputs.first, &inputs.second}) {  // the parts take an axis
    if (x->is_complex && x->dimensions == 64)
      inputs.refuse(false, "an input has 64 dimensions; complex elements have up to 63");
  }
  const bool is_of_all = function.takes == shapes::axes && !is_given(given, axis_parameter) && !names_filter(given) &&
                         given.keywords[keepdims_parameter] == nullptr &&
                         given.keywords[negative_zero_parameter] == nullptr;
  if (is_of_all) inputs.first.flatten();
  inputs.first.conjugated = inputs.first.is_complex && (name == "vecdot" || name == "vdot");
}

void locate_complex_out(const reduction_call& call, imported_array& out) {
  const char* const name = call.adds ? "add_to" : "out";
  out.takes_complex = is_complex(default_type(call));
  locate_out(call.out, call.inputs, out, name);
  if (!out.takes_complex || out.is_complex) return;
  throw_python(true, std::string(call.inputs.caller()) + ": " + name + " is of " + std::string(name_of(out.type)) +
                         "; use an array of complex64 or complex128");
}

nb::object call_on_complex(const reduction_call& call) {
  const imported_array& x = call.inputs.first;
  const imported_array* const other = call.inputs.other();
  const char* const caller = call.inputs.caller();
  imported_array out;
  if (!call.out.is_none()) {
    locate_complex_out(call, out);
    check_out(call.dtype, call.inputs, out);
  }
  const element_type type = call.out.is_none() ? result_type(call) : out.type;
  const element_type part = part_of(type);
  const std::size_t size = size_of(part);
  detail::complex_words found;
  std::uint64_t words[2] = {};
  compute(x, other, call.chosen, [&](const options& chosen) {
    const any_vector first = x.view();
    found = detail::reduce_complex_vectors(call.what, first, other == nullptr ? first : other->view(), type, chosen, caller);
  });
  const auto put = [&](std::size_t k, std::uint64_t word) {
    const any_vector parts(static_cast<const char*>(x.data) + k * size_of(part_of(x.type)), x.n, part_of(x.type),
                           x.stride, x.swapped);
    const any_scalar value = with_sign_of_zero(call, parts.type, {part, word}, [&](reduction extremum) {
      any_scalar of_parts;
      compute(x, nullptr, call.chosen,
              [&](const options& chosen) { of_parts = reduce(extremum, parts, parts.type, chosen); });
      return of_parts;
    });
    if (!call.out.is_none()) return store(value, out, static_cast<std::ptrdiff_t>(k * size));
    std::memcpy(reinterpret_cast<char*>(words) + k * size, &value.bits, size);
  };
  put(0, found.real);
  if (is_complex(type)) put(1, found.imaginary);
  return call.out.is_none() ? to_python(type, words) : nb::borrow(call.out);
}

bool has_complex_on_gpu(const reduction_function& function, const call_arguments& given) {
  const auto is_so = [](PyObject* x) {
    const nb::object dtype = find_attribute(x, "dtype");
    const nb::object kind = dtype.is_valid() ? find_attribute(dtype.ptr(), "kind") : nb::object();
    const bool is_complex = kind.is_valid() && PyUnicode_Check(kind.ptr()) != 0 &&
                            PyUnicode_CompareWithASCIIString(kind.ptr(), "c") == 0;
    return is_complex && find_attribute(x, "__cuda_array_interface__").is_valid();  // which PyTorch's may refuse
  };
  return function.takes_complex && std::any_of(given.inputs, given.inputs + function.signature.inputs, is_so);
}

nb::object compute_complex_on_gpu(const reduction_function& function, const call_arguments& given) {
  const finalization_guard guard;
  const int inputs = function.signature.inputs;
  nb::list arrays, after;
  for (int i = 0; i < function.signature.positional(); ++i) {
    if (given.inputs[i] != nullptr) (i < inputs ? arrays : after).append(nb::handle(given.inputs[i]));
  }
  nb::dict options;
  for (unsigned i = 0; i < parameter_count; ++i) {
    if (given.keywords[i] != nullptr) options[name_of_parameter(i)] = nb::handle(given.keywords[i]);
  }
  const bool gives_complex = core::info_of(function.what).gives_complex();
  const char* const kind = inputs == 2 ? "products" : gives_complex ? "parts" : "pairs";
  const nb::object engine = nb::module_::import_("exactdot._engine");
  return nb::module_::import_("exactdot._complex_on_gpu")
      .attr("compute")(function.signature.name, kind, engine.attr(function.signature.name), nb::tuple(arrays),
                       nb::tuple(after), options);
}

}  // namespace exactdot::python

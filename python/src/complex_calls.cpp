// Implementation of complex_calls.hpp.
#include <algorithm>
#include <cstring>
#include <exactdot/complex.hpp>
#include <python/src/complex_calls.hpp>
#include <python/src/gil.hpp>
#include <python/src/host_call.hpp>
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

/// A vector of complex numbers that an object exports as a buffer.
class complex_vector {
 public:
  /// `any_shape`: arrays without gaps are vectors, too.
  complex_vector(PyObject* object, bool any_shape) {
    if (PyObject_GetBuffer(object, &buffer_, PyBUF_RECORDS_RO) != 0) {
      PyErr_Clear(), buffer_.obj = nullptr;
      return;
    }
    const char* const format = buffer_.format != nullptr ? buffer_.format : "";
    const bool is_single = std::strcmp(format, "Zf") == 0;
    const bool is_vector = buffer_.ndim == 1 && buffer_.shape != nullptr && buffer_.suboffsets == nullptr;
    const bool has_no_gaps = any_shape && buffer_.ndim > 1 && PyBuffer_IsContiguous(&buffer_, 'C') != 0;
    if ((!is_single && std::strcmp(format, "Zd") != 0) || !(is_vector || has_no_gaps)) return;
    const auto size = static_cast<std::ptrdiff_t>(is_single ? 2 * sizeof(float) : 2 * sizeof(double));
    const auto n = static_cast<std::size_t>(is_vector ? buffer_.shape[0] : buffer_.len / size);
    const std::ptrdiff_t stride = is_vector && buffer_.strides != nullptr ? buffer_.strides[0] : size;
    numbers = {buffer_.buf, n, is_single ? element_type::complex64 : element_type::complex128, stride};
    is_valid = buffer_.itemsize == size;
  }
  ~complex_vector() {
    if (buffer_.obj != nullptr) PyBuffer_Release(&buffer_);
  }
  complex_vector(const complex_vector&) = delete;
  complex_vector& operator=(const complex_vector&) = delete;

  any_vector numbers;
  bool is_valid = false;

 private:
  Py_buffer buffer_{};
};

nb::object number(element_type type, const detail::complex_words& found, bool is_complex) {
  const double real = any_scalar{type, found.real}.to_double();
  if (!is_complex) return nb::steal(PyFloat_FromDouble(real));
  return nb::steal(PyComplex_FromDoubles(real, any_scalar{type, found.imaginary}.to_double()));
}

}  // namespace

nb::object compute_complex_vectors(const reduction_function& function, const call_arguments& given) {
  const bool is_plain = std::ranges::all_of(given.keywords, [](PyObject* each) { return each == nullptr; });
  const bool takes_vectors =
      function.takes == shapes::vectors || function.takes == shapes::axes || function.takes == shapes::pairs;
  if (!is_plain || !takes_vectors || kind_of(function.what) == nullptr) return {};
  const bool is_product = function.what == reduction::dot;
  if (is_masked(given.inputs[0]) || (is_product && is_masked(given.inputs[1]))) return {};
  const finalization_guard guard;
  const complex_vector a(given.inputs[0], !is_product);
  if (!a.is_valid) return {};
  const auto run = [&](std::size_t n, element_type type, const auto& work) {
    detail::complex_words found;
    compute(n, n >= min_long_call, {}, [&](const options& chosen) { found = work(chosen); });
    return number(type, found, detail::gives_complex(function.what));
  };
  const char* const caller = function.signature.name;
  if (!is_product) {
    return run(2 * a.numbers.n, part_of(a.numbers.type), [&](const options& chosen) {
      return detail::reduce_complex(function.what, a.numbers, part_of(a.numbers.type), chosen, caller);
    });
  }
  const complex_vector b(given.inputs[1], false);
  if (!b.is_valid || a.numbers.n != b.numbers.n) return {};
  const bool conjugates = std::string_view(caller) != "dot";  // vdot, vecdot
  const element_type type = std::max(part_of(a.numbers.type), part_of(b.numbers.type));
  static_assert(element_type::float32 < element_type::float64);
  return run(4 * a.numbers.n, type, [&](const options& chosen) {
    return detail::multiply_complex(conjugates, a.numbers, b.numbers, type, chosen, caller);
  });
}

bool has_complex_elements(const reduction_function& function, const call_arguments& given) {
  const auto is_complex = [](PyObject* x) {
    if (is_masked(x)) return false;
    const nb::object dtype = find_attribute(x, "dtype");
    const nb::object of_torch = dtype.is_valid() ? find_attribute(dtype.ptr(), "is_complex") : nb::object();
    if (of_torch.is_valid()) {
      const nb::object is_cuda = find_attribute(x, "is_cuda");
      return of_torch.ptr() == Py_True && is_cuda.is_valid() && is_cuda.ptr() == Py_True;
    }
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

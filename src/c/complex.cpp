// Reductions of complex numbers.
#include <c/convert.hpp>
#include <c/status.hpp>
#include <exactdot/complex.hpp>
#include <string>

namespace {

using namespace exactdot;
using namespace exactdot::c;

any_complex to_complex(const xd_vector* x, const char* caller, const char* argument) {
  require(x, caller, argument);
  return {x->data, x->n, to_type(x->type, caller), x->stride, x->swapped != 0};
}

/// Throws for results inside a vector: a stride of 0 or below that of a number is taken as all that it spans.
void require_outside_pairs(const void* result, std::size_t bytes, const any_complex& x, const char* caller) {
  const auto size = static_cast<std::ptrdiff_t>(size_of(x.part));
  require_outside(result, bytes, {x.data, x.n, x.part, x.stride}, caller);
  if (x.n != 0)
    require_outside(result, bytes, {static_cast<const char*>(x.data) + size, x.n, x.part, x.stride}, caller);
}

}  // namespace

xd_vector xd_contiguous_complex(const void* data, size_t n, int type) {
  return {data, n, static_cast<ptrdiff_t>(2 * xd_type_size(type)), type, 0};
}

xd_status xd_reduce_complex(int reduction, int conjugate, const xd_vector* a, const xd_vector* b, int result_type,
                            void* result, const xd_options* options) {
  return guarded([&] {
    const char* const caller = "xd_reduce_complex";
    const auto what = to_reduction(reduction, caller);
    const element_type type = to_type(result_type, caller);
    require(result, caller, "result");
    const bool is_product = multiplies_vectors(what);
    const any_complex first = to_complex(a, caller, "a"), second = is_product ? to_complex(b, caller, "b") : first;
    if (inputs_of(what) == 1 && b != nullptr) {
      refuse(errc::bad_option, caller, std::string(name_of(what)) + " takes one vector; pass a null pointer for b");
    }
    if (!is_product && conjugate != 0) refuse(errc::bad_option, caller, "conjugate is for XD_DOT; pass 0");
    const std::size_t bytes = size_of(type) * (detail::gives_complex(what) ? 2 : 1);
    const auto chosen = to_options(options, caller);
    require_outside_pairs(result, bytes, first, caller);
    require_outside_pairs(result, bytes, second, caller);
    const detail::complex_words found =
        is_product ? detail::multiply_complex(conjugate != 0, first, second, type, chosen, caller)
                   : detail::reduce_complex(what, first, type, chosen, caller);
    store(result, type, found.real);
    if (detail::gives_complex(what)) store(static_cast<char*>(result) + size_of(type), type, found.imaginary);
  });
}
